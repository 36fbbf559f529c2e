/* equiv.c - qkv equiv: which variants are the same function?

   The canonical form of a trained run is handed to another variant to fit, and
   what changes in the logits on fresh data is the answer: a row of a sheet. */
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

static const Column conversions[] = {
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
enum { COLUMNS = sizeof conversions / sizeof *conversions };

/* Adds a row of what came of a conversion. */
static void
add_row(Sheet *sheet, const Run *r, const char *to, const Conversion *v)
{
    char name[NAME_SIZE], rank[2][32];
    const FitError *form = &v->form;
    const char *same = v->logits <= CONVERTS_EXACTLY ? "exact" : "nearest";
    plugin_name(r->config.variant, name);
    for (int i = 0; i < 2; i++) /* what there was, and what is left of it */
        snprintf(rank[i], sizeof rank[i], "%d->%d", form->rank[i],
                 form->kept[i]);
    if (v->done)
        sheet_row(sheet, cell_words(name), cell_words(to), cell_words(same),
                  cell_number(v->logits), cell_number(v->before),
                  cell_number(v->after), cell_words(rank[0]),
                  cell_number(form->lost[0]), cell_words(rank[1]),
                  cell_number(form->lost[1]), cell_words(""));
    else
        sheet_row(sheet, cell_words(name), cell_words(to), cell_words("none"),
                  cell_number(NAN), cell_number(NAN), cell_number(NAN),
                  cell_words("-"), cell_number(NAN), cell_words("-"),
                  cell_number(NAN), cell_words(v->why));
}

/* Writes the converted model as a run, which had no steps itself. */
static void
write_converted(const Options *o, Model *to, const Dataset *data)
{
    const int steps = to->config.steps;
    Config ordinary = ordinary_config(to->config.task, to->config.variant,
                                      variant_uses(to->variant));
    char *name = run_name(&to->config, &ordinary);
    char *asked = manifest_of(&o->request, "equiv");
    manifest_add(&asked, "run", o->rest[0]);
    manifest_add(&asked, "to", o->to);
    to->config.steps = 0;
    Finished e = {.result = train(to, data, NULL, NULL),
                  .converted = true,
                  .seconds = 1e-9};
    to->config.steps = steps;
    experiment_open(o->out, asked);
    Draft *d = draft_begin(o->out, name);
    run_write(d, name, to, &e, &(Observer){0}, data, true);
    draft_publish(d, name, true);
    draft_end(d);
    if (!o->quiet)
        note("the converted run is %s/%s", o->out, name);
    free(e.result.rows);
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
    request_used(&o->request, uses);
    request_apply(&o->request, &c);
    c.variant = interned(o->to);
    return c;
}

/* Converts a run into each of these shapes, a row each. With --to it keeps what
   it has become as a run. */
static void
convert(const Options *o, Sheet *sheet, const Run *r, const Config *shapes,
        int count)
{
    Dataset data;
    Model *from = run_model(r, &data);
    for (int k = 0; k < count; k++) {
        Conversion v;
        Plugin p = plugin_open(shapes[k].variant);
        Model *to = converted(from, &p, &shapes[k], r->name, &v);
        if (to)
            measure_conversion(from, to, &data, &v);
        else if (o->to)
            fail("%s cannot become %s: %s", r->path, p.name, v.why);
        add_row(sheet, r, p.name, &v);
        if (o->to)
            write_converted(o, to, &data);
        model_free(to);
    }
    model_free(from);
    dataset_close(&data);
}

/* The figure of a square of conversions; positions between q and k decide what
   is the same, and so does the precision: each has its own figure. */
static void
draw_square(const Options *o, const Sheet *s, int count, int positions)
{
    Values names = {0};
    char *name = format_text("equivalence%s%s",
                             positions == POSITIONS_ROPE ? "-rope" : "",
                             sizeof(real) == 8 ? "-double" : "");
    Figure f = figure_begin(&o->draw, name);
    for (int k = 0; k < count; k++)
        values_add(&names, copy_text(s->cells[k * s->cols + 1].text));
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

/* Trains the variants that were asked for, and converts each into each. */
static int
convert_all(Options *o, Sheet *sheet)
{
    resolve_grid(o, default_variants, "induction", 1);
    Grid g = grid_of(&o->request, manifest_of(&o->request, "equiv"));
    int status = run_missing(&o->request.work, &g);
    Experiment e = finished(&o->request.work, &g);
    Config *shapes = allocate((size_t)e.count, sizeof *shapes);
    for (int i = 0; i < e.count; i++)
        shapes[i] = e.runs[i].config;
    for (int i = 0; i < e.count; i++)
        convert(o, sheet, &e.runs[i], shapes, e.count);
    if (e.count)
        draw_square(o, sheet, e.count, shapes->positions);
    free(shapes);
    experiment_free(&e);
    grid_free(&g);
    return status;
}

int
command_equiv(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Sheet sheet = sheet_of(conversions, COLUMNS);
    int status = 0;
    if ((o.rest_count == 1) != (o.to != NULL))
        usage("equiv takes one run and --to VARIANT, to convert it, or "
              "neither, for the table");
    if (o.to) {
        Run r = run_read(o.rest[0]);
        Config shape = target_shape(&o, &r);
        convert(&o, &sheet, &r, &shape, 1);
        run_free(&r);
    } else
        status = convert_all(&o, &sheet);
    sheet.label = "conversions";
    sheet_write(stdout, &sheet, layout_of(&o));
    sheet_free(&sheet);
    return status;
}
