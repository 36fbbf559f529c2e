/* equiv.c - qkv equiv: which variants are the same function?

   Manifest of trained weights: a run's canonical form is handed to another
   variant to fit, and what changes in the logits on fresh data is the answer.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/convert.h"
#include "base/words.h"
#include "study/table.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "run/missing.h"
#include "study/draw.h"
#include "study/figure.h"
#include "study/square.h"
#include "heart/fail.h"

/* Indices: of words for a table, signs for the square. */
static int
kind_of(const Conversion *v)
{
    return *v->why ? NONE : v->logits <= CONVERTS_EXACTLY ? SAME : NEAREST;
}

/* Writes the converted model as a run: of no steps of its own. */
static void
write_converted(const Options *o, Model *to, const Dataset *data)
{
    LogRow row = {to->config.steps, NAN, NAN, 0, 0};
    Finished e = {
        .result = {.rows = &row, .count = 1, .steps = to->config.steps},
        .converted = true,
        .seconds = 1e-9};
    Config ordinary = ordinary_config(to->config.task, to->config.variant,
                                      variant_uses(to->variant));
    evaluate_split(to, data, VALIDATION, &row.validation_loss,
                   &row.validation_accuracy);
    evaluate_split(to, data, TEST, &e.result.test_loss,
                   &e.result.test_accuracy);
    /* The plugin is not called any more: whatever locale it has set, what is
       written has a point in 0.5. */
    uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    char *name = run_name(&to->config, &ordinary);
    Manifest asked = manifest_of(&o->request, "equiv");
    manifest_add(&asked, "run", o->rest[0]);
    manifest_add(&asked, "to", o->to);
    experiment_open(o->out, &asked);
    manifest_free(&asked);
    Draft *d = draft_begin(o->out, name);
    run_write(d, name, to, &e, &(Observer){0}, data, true);
    Run written = run_of(d->path.text, name, &to->config);
    run_free(&written);
    run_publish(d, name, true);
    draft_end(d);
    if (!o->quiet)
        note("the converted run is %s/%s", o->out, name);
    free(name);
}

/* A rank, and what is left of it: "8->4". */
static Cell
rank_cell(const Conversion *v, int which, char text[32])
{
    snprintf(text, 32, "%d->%d", v->form.rank[which], v->form.kept[which]);
    return v->done ? cell_words(text) : cell_words("-");
}

static void
add_verdict(Sheet *sheet, const Run *r, const char *from, const char *to,
            const Conversion *v)
{
    static const char *const words[] = {"none", "nearest", "exact"};
    char rank[2][32];
    sheet_row(
        sheet, cell_words(from), cell_words(to), cell_words(words[kind_of(v)]),
        cell_number(v->done ? v->logits : NAN),
        cell_number(v->done ? v->form.apart : NAN),
        cell_number(v->done ? v->before : NAN),
        cell_number(v->done ? v->after : NAN), rank_cell(v, 0, rank[0]),
        cell_number(v->done ? v->form.lost[0] : NAN), rank_cell(v, 1, rank[1]),
        cell_number(v->done ? v->form.lost[1] : NAN), cell_words(v->why),
        cell_number(run_number(r, "attention_parameters")),
        cell_number(r->real >= 0 ? r->real : NAN));
}

/* Of conversions; or only of those that are not `exact`, and what they lost. */
static Sheet
verdict_sheet(bool exact)
{
    const Column columns[] = {{"from", .title = "trained", .words = true},
                              {"to", .title = "into", .words = true},
                              {"is_it_the_same", .title = "same", .words = true,
                               .readers = exact ? EVERYBODY : NOBODY},
                              {"logits", .format = "%.1e", .readers = PROGRAMS},
                              {"s_M_N", .format = "%.1e", .readers = PROGRAMS},
                              {"accuracy", .format = "%.3f"},
                              {"after", .format = "%.3f"},
                              {"rank_M", .title = "rank M", .words = true},
                              {"lost_of_M", .title = "lost", .format = "%.2g"},
                              {"rank_N", .title = "rank N", .words = true},
                              {"lost_of_N", .title = "lost", .format = "%.2g"},
                              {"why_not", .words = true, .readers = PROGRAMS},
                              {"stored", .readers = PROGRAMS},
                              {"real", .readers = PROGRAMS}};
    return sheet_of(columns, sizeof columns / sizeof *columns);
}

/* The shape options that the target takes: the run's, and those given. */
static Config
target_shape(const Options *o, const Run *r)
{
    Config c = r->config;
    c.variant = interned(o->to);
    for (int i = 0; i < setting_count; i++) {
        if (o->request.given[i].count && settings[i].role != OF_SHAPE &&
            strcmp(settings[i].name, "embed"))
            usage("--%s: a converted run keeps it; only heads, kv-heads, d-k, "
                  "d-v, latent and embed may differ",
                  settings[i].name);
        if (o->request.given[i].count)
            setting_set(&settings[i], &c, o->request.given[i].text[0]);
    }
    return c;
}

static int
convert_run(const Options *o)
{
    Run r = run_read(o->rest[0]);
    Config shape = target_shape(o, &r);
    Dataset data;
    Conversion v;
    Plugin p = plugin_open(o->to);
    request_used(&o->request, (const char *[]){variant_uses(p.variant)}, 1);
    Model *from = run_model(&r, &data);
    Model *to = converted(from, &p, &shape, r.name, &v);
    char names[2][NAME_SIZE];
    plugin_name(from->config.variant, names[0]);
    plugin_name(o->to, names[1]);
    if (!to || *v.why)
        fail("%s cannot become %s: %s", r.path, names[1], v.why);
    measure_conversion(from, to, &data, &v);
    write_converted(o, to, &data);
    Sheet sheet = verdict_sheet(true);
    add_verdict(&sheet, &r, names[0], names[1], &v);
    sheet.label = "conversion";
    sheet_print(&sheet, layout_of(o));
    if (layout_of(o) == ALIGNED)
        printf("\nThe logits are %.1e apart on test data, relative to the "
               "largest.\n",
               v.logits);
    model_free(from);
    model_free(to);
    dataset_close(&data);
    run_free(&r);
    return 0;
}

/* The square of all runs into all variants: count x count verdicts, row by
   row, to be freed. */
static Conversion *
convert_all(const Run *runs, Square *square)
{
    int count = square->count;
    Conversion *all = allocate((size_t)count * count, sizeof *all);
    for (int i = 0; i < count; i++) {
        char name[NAME_SIZE];
        Dataset data;
        Model *from = run_model(&runs[i], &data);
        plugin_name(runs[i].config.variant, name);
        square->names[i] = copy_text(name);
        for (int k = 0; k < count; k++) {
            Conversion *v = &all[i * count + k];
            Plugin p = plugin_open(runs[k].config.variant);
            Model *to = converted(from, &p, &runs[k].config, runs[i].name, v);
            if (to)
                measure_conversion(from, to, &data, v);
            square->cells[i * count + k].kind = kind_of(v);
            square->cells[i * count + k].logits = v->done ? v->logits : NAN;
            model_free(to);
        }
        model_free(from);
        dataset_close(&data);
    }
    return all;
}

/* All conversions; or of those that are not exact, what was lost. */
static Sheet
verdicts_of(const Square *q, const Run *runs, const Conversion *all, bool exact)
{
    Sheet sheet = verdict_sheet(exact);
    for (int i = 0; i < q->count * q->count; i++)
        if (exact || kind_of(&all[i]) == NEAREST)
            add_verdict(&sheet, &runs[i / q->count], q->names[i / q->count],
                        q->names[i % q->count], &all[i]);
    return sheet;
}

/* A square of signs, and what each variant stores and really has; below it what
   the signs do not say. */
static void
print_square(const Square *q, const Run *runs, const Conversion *all)
{
    printf("%-18s", "trained  \\  into");
    for (int k = 0; k < q->count; k++)
        printf("%3d", k + 1);
    printf("%9s%8s", "stored", "real");
    for (int i = 0; i < q->count; i++) {
        printf("\n%2d %-15.15s", i + 1, q->names[i]);
        for (int k = 0; k < q->count; k++)
            printf("  %c", ".~="[kind_of(&all[i * q->count + k])]);
        printf("%9.0f", run_number(&runs[i], "attention_parameters"));
        printf(runs[i].real >= 0 ? "%8.0f" : "       -", runs[i].real);
    }
    printf("\n\n= the same function: logits on test data agree to %g of the "
           "largest\n"
           "~ another one: the nearest that its fit finds     . none\n"
           "stored, real: parameters of attention, and how many of them are "
           "really there\n\n",
           CONVERTS_EXACTLY);
    Sheet lost = verdicts_of(q, runs, all, false);
    if (lost.count)
        sheet_write(stdout, &lost, ALIGNED);
    sheet_free(&lost);
    for (int i = 0; i < q->count; i++) {
        const Conversion *v = &all[i * (q->count + 1)];
        if (kind_of(v) == NEAREST)
            printf(
                "%s into itself is not the same: its fit cannot reach all that "
                "it can learn\n",
                q->names[i]);
        if (kind_of(v) == NONE)
            printf("%s: %s\n", q->names[i], v->why);
    }
}

static void
print_table(const Options *o, const Run *runs, int count)
{
    Square q = square_new(count);
    Conversion *all = convert_all(runs, &q);
    if (layout_of(o) == ALIGNED)
        print_square(&q, runs, all);
    else {
        Sheet sheet = verdicts_of(&q, runs, all, true);
        sheet.label = "conversions";
        sheet_print(&sheet, layout_of(o));
    }
    int positions = runs[0].config.positions;
    const char *apart = positions == POSITIONS_ROPE    ? "rope"
                        : positions == POSITIONS_ALIBI ? "alibi"
                                                       : "";
    char *which = format_text("%s%s%s", apart,
                              *apart && sizeof(real) == 8 ? "-" : "",
                              sizeof(real) == 8 ? "double" : "");
    square_draw(&q, which, &o->draw);
    free(which);
    square_free(&q);
    free(all);
}

int
command_equiv(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    int status;
    if ((o.rest_count == 1) != (o.to != NULL))
        usage("equiv takes one run and --to VARIANT, to convert it, or "
              "neither, for the table");
    if (o.rest_count) {
        status = convert_run(&o);
        request_free(&o.request);
        return status;
    }
    resolve_grid(&o, default_variants, "induction", 1);
    Grid g = grid_of(&o.request, manifest_of(&o.request, "equiv"));
    status = run_missing(&o.request.work, &g);
    Experiment e = finished(&o.request.work, &g);
    count_real(&o.request.work, &e);
    if (e.count)
        print_table(&o, e.runs, e.count);
    free_runs(e.runs, e.count);
    grid_free(&g);
    request_free(&o.request);
    return status;
}
