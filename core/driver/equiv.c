/* equiv.c - qkv equiv: which variants are the same function?

   The canonical form of a trained run is handed to another variant to fit, and
   what changes in the logits on fresh data is the answer. */
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
#include "heart/fail.h"

/* Indices: of words for a table, signs for the square. */
enum { NONE, NEAREST, SAME };

static int
kind_of(const Conversion *v)
{
    return *v->why ? NONE : v->logits <= CONVERTS_EXACTLY ? SAME : NEAREST;
}

static Sheet
verdict_sheet(void)
{
    static const Column columns[] = {
        {"from", .title = "trained", .words = true},
        {"to", .title = "into", .words = true},
        {"is_it_the_same", .title = "same", .words = true},
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

static Cell
known(const Conversion *v, double x)
{
    return cell_number(v->done ? x : NAN);
}

/* A rank, and what is left of it: "8->4". */
static Cell
rank_cell(const Conversion *v, int which)
{
    char text[32];
    snprintf(text, sizeof text, "%d->%d", v->form.rank[which],
             v->form.kept[which]);
    return cell_words(v->done ? text : "-");
}

static void
add_verdict(Sheet *sheet, const Run *r, const char *to, const Conversion *v)
{
    static const char *const words[] = {"none", "nearest", "exact"};
    char from[NAME_SIZE];
    plugin_name(r->config.variant, from);
    sheet_row(sheet, cell_words(from), cell_words(to),
              cell_words(words[kind_of(v)]), known(v, v->logits),
              known(v, v->form.apart), known(v, v->before), known(v, v->after),
              rank_cell(v, 0), known(v, v->form.lost[0]), rank_cell(v, 1),
              known(v, v->form.lost[1]), cell_words(v->why),
              cell_number(run_number(r, "attention_parameters")),
              cell_number(r->real >= 0 ? r->real : NAN));
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
    Run written = run_of(d->path.text, name);
    run_free(&written);
    run_publish(d, name, true);
    draft_end(d);
    if (!o->quiet)
        note("the converted run is %s/%s", o->out, name);
    free(name);
}

/* The run's shape with the options of the target that were given. */
static Config
target_shape(const Options *o, const Run *r)
{
    Config c = r->config;
    c.variant = interned(o->to);
    for (int i = 0; i < setting_count; i++)
        if (o->request.given[i].count && settings[i].role != OF_SHAPE &&
            strcmp(settings[i].name, "embed"))
            usage("--%s: a converted run keeps it; only heads, kv-heads, d-k, "
                  "d-v, latent and embed may differ",
                  settings[i].name);
    request_apply(&o->request, &c);
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
    Sheet sheet = verdict_sheet();
    request_used(&o->request, (const char *[]){variant_uses(p.variant)}, 1);
    Model *from = run_model(&r, &data);
    Model *to = converted(from, &p, &shape, r.name, &v);
    if (!to || *v.why)
        fail("%s cannot become %s: %s", r.path, p.name, v.why);
    measure_conversion(from, to, &data, &v);
    write_converted(o, to, &data);
    add_verdict(&sheet, &r, p.name, &v);
    sheet_note(&sheet, "conversion",
               format_text("The logits are %.1e apart on test data, relative "
                           "to the largest.",
                           v.logits));
    sheet_print(&sheet, layout_of(o));
    model_free(from);
    model_free(to);
    dataset_close(&data);
    run_free(&r);
    return 0;
}

/* What came of all runs into all variants: a table of all and, for a terminal,
   of those that lost something; signs and names of the square, row by row. */
typedef struct Square {
    Sheet all, lost;
    char *signs;
    Values names;
} Square;

static Square
convert_all(const Options *o, const Run *runs, int count)
{
    Square q = {.all = verdict_sheet(), .lost = verdict_sheet()};
    q.signs = allocate((size_t)count * count, 1);
    for (int i = 0; i < count; i++) {
        Dataset data;
        Model *from = run_model(&runs[i], &data);
        for (int k = 0; k < count; k++) {
            Conversion v;
            Plugin p = plugin_open(runs[k].config.variant);
            Model *to = converted(from, &p, &runs[k].config, runs[i].name, &v);
            if (to)
                measure_conversion(from, to, &data, &v);
            model_free(to);
            q.signs[i * count + k] = ".~="[kind_of(&v)];
            add_verdict(&q.all, &runs[i], p.name, &v);
            if (kind_of(&v) == NEAREST)
                add_verdict(&q.lost, &runs[i], p.name, &v);
            if (i == k)
                values_add(&q.names, copy_text(p.name));
            if (i == k && kind_of(&v) != SAME && !o->quiet)
                note("%s into itself: %s", p.name,
                     *v.why ? v.why
                            : "its fit cannot reach all that it can learn");
        }
        model_free(from);
        dataset_close(&data);
    }
    return q;
}

/* A square of signs, and what each variant stores and really has. */
static void
print_square(const Square *q, const Run *runs)
{
    int count = q->names.count;
    printf("%-18s", "trained  \\  into");
    for (int k = 0; k < count; k++)
        printf("%3d", k + 1);
    printf("%9s%8s", "stored", "real");
    for (int i = 0; i < count; i++) {
        printf("\n%2d %-15.15s", i + 1, q->names.text[i]);
        for (int k = 0; k < count; k++)
            printf("  %c", q->signs[i * count + k]);
        printf("%9.0f", run_number(&runs[i], "attention_parameters"));
        printf(runs[i].real >= 0 ? "%8.0f" : "       -", runs[i].real);
    }
    printf("\n\n= the same function: logits on test data agree to %g of the "
           "largest\n"
           "~ another one: the nearest that its fit finds     . none\n"
           "stored, real: parameters of attention, and with --real how many "
           "are really there\n\n",
           CONVERTS_EXACTLY);
}

/* Their figure; positions that stand between q and k decide what is the same,
   and so does the precision: each has a figure of its own. */
static void
draw_square(const Options *o, const Square *q, int positions)
{
    static const char *const which[][2] = {{"", "-double"},
                                           {"-rope", "-rope-double"},
                                           {"-alibi", "-alibi-double"}};
    int apart = positions == POSITIONS_ROPE    ? 1
                : positions == POSITIONS_ALIBI ? 2
                                               : 0;
    char *name = format_text("equivalence%s", which[apart][sizeof(real) == 8]);
    Figure f = figure_begin(&o->draw, name);
    sheet_write(f.data, &q->all, TSV);
    figure_title(&f,
                 "Trained as the row, written as the column: difference of "
                 "logits",
                 "");
    figure_words(&f, "variants", &q->names);
    figure_end(&f, "equivalence");
    free(name);
}

static void
show_all(const Options *o, const Run *runs, int count)
{
    Square q = convert_all(o, runs, count);
    Sheet *shown = layout_of(o) == ALIGNED ? &q.lost : &q.all;
    if (layout_of(o) == ALIGNED)
        print_square(&q, runs);
    shown->label = "conversions";
    if (shown->count)
        sheet_write(stdout, shown, layout_of(o));
    draw_square(o, &q, runs[0].config.positions);
    sheet_free(&q.all);
    sheet_free(&q.lost);
    values_free(&q.names);
    free(q.signs);
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
    } else {
        resolve_grid(&o, default_variants, "induction", 1);
        Grid g = grid_of(&o.request, manifest_of(&o.request, "equiv"));
        status = run_missing(&o.request.work, &g);
        Experiment e = finished(&o.request.work, &g);
        if (o.real)
            count_real(&o.request.work, &e);
        if (e.count)
            show_all(&o, e.runs, e.count);
        free_runs(e.runs, e.count);
        grid_free(&g);
    }
    request_free(&o.request);
    return status;
}
