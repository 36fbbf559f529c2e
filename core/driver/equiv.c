/* equiv.c - qkv equiv: which variants are the same function?

   The canonical form of a trained run is handed to another variant to fit, and
   what changes in the logits on fresh data is the answer: a row of a sheet. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/convert.h"
#include "base/words.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "heart/fail.h"
#include "page/draw.h"
#include "page/table.h"
#include "run/jobs.h"

/* The columns that the square reads. */
enum { FROM, TO, SAME };

static Sheet
conversions(void)
{
    static const Column columns[] = {
        {"from", .title = "trained", .words = true},
        {"to", .title = "into", .words = true},
        {"is_it_the_same", .title = "same", .words = true},
        {"logits", .format = "%.1e"},
        {"accuracy", .format = "%.3f"},
        {"after", .format = "%.3f"},
        {"rank_M", .title = "rank M", .words = true},
        {"lost_of_M", .title = "lost", .format = "%.2g"},
        {"rank_N", .title = "rank N", .words = true},
        {"lost_of_N", .title = "lost", .format = "%.2g"},
        {"why_not", .words = true, .readers = PROGRAMS}};
    return sheet_of(columns, sizeof columns / sizeof *columns);
}

/* Adds a row of what came of a conversion, which is unknown without `to`. */
static void
add_row(Sheet *sheet, const Run *r, const char *to, const Conversion *v)
{
    static const char *const verdicts[] = {"none", "nearest", "exact"};
    char name[NAME_SIZE], rank[2][32] = {"-", "-"};
    int verdict = !v->done ? 0 : v->logits <= CONVERTS_EXACTLY ? 2 : 1;
    double unless = v->done ? 0 : NAN;     /* a number and NaN are NaN */
    for (int i = 0; i < 2 && v->done; i++) /* and what is left: "8->4" */
        snprintf(rank[i], sizeof rank[i], "%d->%d", v->form.rank[i],
                 v->form.kept[i]);
    plugin_name(r->config.variant, name);
    sheet_row(sheet, cell_words(name), cell_words(to),
              cell_shown(verdict, verdicts[verdict]),
              cell_number(v->logits + unless), cell_number(v->before + unless),
              cell_number(v->after + unless), cell_words(rank[0]),
              cell_number(v->form.lost[0] + unless), cell_words(rank[1]),
              cell_number(v->form.lost[1] + unless), cell_words(v->why));
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
    char *asked = manifest_of(&o->request, "equiv");
    manifest_add(&asked, "run", o->rest[0]);
    manifest_add(&asked, "to", o->to);
    experiment_open(o->out, asked);
    Draft *d = draft_begin(o->out, name);
    run_write(d, name, to, &e, &(Observer){0}, data, true);
    run_publish(d, name, true);
    draft_end(d);
    if (!o->quiet)
        note("the converted run is %s/%s", o->out, name);
    free(asked);
    free(name);
}

/* The run's shape with the options of the target that were given. */
static Config
target_shape(const Options *o, const Run *r)
{
    Config c = r->config;
    const char *uses = variant_uses(plugin_open(o->to).variant);
    for (int i = 0; i < setting_count; i++)
        if (o->request.given[i].count && settings[i].role != OF_SHAPE &&
            strcmp(settings[i].name, "embed"))
            usage("--%s: a converted run keeps it; only heads, kv-heads, d-k, "
                  "d-v, latent and embed may differ",
                  settings[i].name);
    request_used(&o->request, &uses, 1);
    request_apply(&o->request, &c);
    c.variant = interned(o->to);
    return c;
}

/* Converts a run into a shape, and adds the row; with --to it keeps what it has
   become as a run. */
static void
convert(const Options *o, Sheet *sheet, const Run *r, Model *from,
        const Dataset *data, const Config *shape)
{
    Conversion v;
    Plugin p = plugin_open(shape->variant);
    Model *to = converted(from, &p, shape, r->name, &v);
    if (to)
        measure_conversion(from, to, data, &v);
    else if (o->to)
        fail("%s cannot become %s: %s", r->path, p.name, v.why);
    if (o->to)
        write_converted(o, to, data);
    add_row(sheet, r, p.name, &v);
    model_free(to);
}

/* Converts each run into the shape of each, or the only one into that of --to.
 */
static Sheet
convert_all(const Options *o, const Experiment *e)
{
    Sheet sheet = conversions();
    for (int i = 0; i < e->count; i++) {
        const Run *r = &e->runs[i];
        Dataset data;
        Model *from = run_model(r, &data);
        for (int k = 0; k < e->count; k++) {
            Config shape = o->to ? target_shape(o, r) : e->runs[k].config;
            convert(o, &sheet, r, from, &data, &shape);
        }
        model_free(from);
        dataset_close(&data);
    }
    return sheet;
}

static void
print_square(const Sheet *s, int count)
{
    printf("%-18s", "trained  \\  into");
    for (int k = 0; k < count; k++)
        printf("%3d", k + 1);
    for (int i = 0; i < count * count; i++) {
        const Cell *row = s->cells + i * s->cols;
        if (i % count == 0)
            printf("\n%2d %-15.15s", i / count + 1, row[FROM].text);
        printf("  %c", ".~="[(int)row[SAME].value]);
    }
    printf("\n\n= the same function: logits on test data agree to %g of the "
           "largest\n"
           "~ another one: the nearest that its fit finds     . none\n"
           "How near they are: --markdown or --tsv\n\n",
           CONVERTS_EXACTLY);
}

/* Their figure; positions that stand between q and k decide what is the same,
   and so does the precision: each has a figure of its own. */
static void
draw_square(const Options *o, const Sheet *s, int count, int positions)
{
    char *name = format_text("equivalence%s%s",
                             positions == POSITIONS_ROPE ? "-rope" : "",
                             sizeof(real) == 8 ? "-double" : "");
    Figure f = figure_begin(&o->draw, name);
    Values names = {0};
    for (int k = 0; k < count; k++)
        values_add(&names, copy_text(s->cells[k * s->cols + TO].text));
    sheet_write(f.data, s, TSV);
    figure_title(&f,
                 "Trained as the row, written as the column: difference of "
                 "logits",
                 "");
    figure_words(&f, "variants", &names);
    figure_end(&f, "equivalence");
    values_free(&names);
    free(name);
}

int
command_equiv(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    int status = 0;
    Grid g = {0};
    Experiment e = {.count = 1};
    if ((o.rest_count == 1) != (o.to != NULL))
        usage("equiv takes one run and --to VARIANT, to convert it, or "
              "neither, for the table");
    if (o.to) {
        e.runs = allocate(1, sizeof *e.runs);
        *e.runs = run_read(o.rest[0]);
    } else {
        resolve_grid(&o, default_variants, "induction", 1);
        g = grid_of(&o.request, manifest_of(&o.request, "equiv"));
        status = run_missing(&o.request.work, &g);
        e = finished(&o.request.work, &g);
    }
    Sheet sheet = convert_all(&o, &e);
    sheet.label = "conversions";
    if (!o.to && layout_of(&o) == ALIGNED && !o.columns)
        print_square(&sheet, e.count);
    else
        sheet_write(stdout, &sheet, layout_of(&o));
    if (!o.to && e.count)
        draw_square(&o, &sheet, e.count, e.runs[0].config.positions);
    sheet_free(&sheet);
    experiment_free(&e);
    grid_free(&g);
    request_free(&o.request);
    return status;
}
