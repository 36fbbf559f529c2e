/* equiv.c - qkv equiv: which variants are the same function?

   A trained run is converted: the matrices of another variant are fitted to the
   canonical form of the run's heads (algebra/convert.h). If the logits on test
   data stay the same, the conversion is exact. Each row of the table is one
   conversion. */
#include <math.h>
#include <string.h>

#include "algebra/convert.h"
#include "driver/compare.h"
#include "page/table.h"
#include "run/jobs.h"

/* clang-format off */
static const Column conversions[] = {
    {"from", .title = "trained", .words = true}, {"to", .title = "into", .words = true}, {"is_it_the_same", .title = "same", .words = true},
    {"logits", .format = "%.1e"}, {"accuracy", .format = "%.3f"}, {"after", .format = "%.3f"},
    {"rank_M", .title = "rank M", .words = true}, {"lost_of_M", .format = "%.2g", .readers = PROGRAMS},
    {"rank_N", .title = "rank N", .words = true}, {"lost_of_N", .format = "%.2g", .readers = PROGRAMS},
    {"why_not", .words = true, .readers = PROGRAMS},
};
/* clang-format on */

/* Adds the row of v, the conversion of r into the variant `to`. If it failed,
   the row has no numbers, and the word "none" instead of "exact" or
   "nearest". */
static void
add_row(Sheet *sheet, const Run *r, const char *to, Conversion v)
{
    const char *same = "none";
    const char *m_ranks = "-", *n_ranks = "-"; /* or "8->4": before->after */
    HeadError m = v.form.m, n = v.form.n;
    if (*v.why)
        v.logits = v.before = v.after = m.lost = n.lost = NAN;
    else {
        same = v.logits <= EXACT_UP_TO ? "exact" : "nearest";
        m_ranks = format_text("%d->%d", m.rank_wanted, m.rank_found);
        n_ranks = format_text("%d->%d", n.rank_wanted, n.rank_found);
    }
    sheet_row(sheet, cell(plugin_name(r->config.variant)), cell(to), cell(same),
              cell(v.logits), cell(v.before), cell(v.after), cell(m_ranks),
              cell(m.lost), cell(n_ranks), cell(n.lost), cell(v.why));
}

/* Adds a reason to the table's note, which people read instead of the column
   why_not, unless the note has this reason already. */
static void
note_reason(Sheet *sheet, const char *reason)
{
    if (!sheet->note)
        sheet->note = "none: it could not be converted, which does not prove "
                      "that the two are different functions";
    if (!strstr(sheet->note, reason))
        sheet->note = format_text("%s; %s", sheet->note, reason);
}

/* Converts run r into the variant and the shape of each run of the grid, and
   adds a row for each. If the user named r, a failed conversion ends the
   command. */
static void
convert(const Options *o, Sheet *sheet, const Run *r, const Grid *g)
{
    Dataset data;
    Model *from = run_model(r, &data);
    for (const Job *job = g->jobs; job < g->jobs + g->count; job++) {
        Conversion v;
        Plugin p = plugin_open(job->config.variant);
        Model *to = model_new(&job->config, from->sizes, p.variant);
        if (convert_model(from, to, &v))
            measure_conversion(from, to, &data, &v);
        else if (o->word_count > 0) /* the user named the run */
            fail("%s cannot be converted into %s: %s", r->path, p.name, v.why);
        else
            note_reason(sheet, v.why);
        add_row(sheet, r, p.name, v);
        model_free(to);
    }
    model_free(from);
}

/* Draws the table as a square with a row and a column for each variant. Which
   variants are the same depends on rotary positions and on the precision, so
   the figure's name tells both. */
static void
draw_square(const Options *o, const Sheet *s, int positions)
{
    bool is_double = sizeof(real) == sizeof(double);
    char *name = format_text("equivalence%s%s",
                             positions == POSITIONS_ROPE ? "-rope" : "",
                             is_double ? "-double" : "");
    Figure f = figure_begin(&o->draw, name,
                            "Trained as the row, written as the column: "
                            "difference of logits");
    Sheet all_columns = *s;
    all_columns.chosen = NULL; /* the figure needs all columns */
    sheet_write(f.data, &all_columns, TSV);
    figure_end(&f, "equivalence.gp");
}

/* If the user named a run, converts it into the variants. Otherwise trains a
   run of each variant, converts each run into each variant, and draws the
   result. */
int
command_equiv(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Request *r = &o.request;
    Sheet sheet = sheet_of(conversions, "conversions", o.columns);
    bool user_named_run = o.word_count > 0;
    Run named;
    Experiment e = {.runs = &named, .count = 1}; /* the runs to convert */
    int status = 0;
    if (user_named_run)
        named = begin_from(r, o.words[0], OF_VARIANT | OF_SHAPE);
    default_grid(&o, default_variants, "induction", "1");
    Grid g = grid_of(r, "equiv");
    if (!user_named_run) {
        status = run_missing(&r->work, &g);
        e = runs_finished(&r->work, &g);
    }
    for (int i = 0; i < e.count; i++)
        convert(&o, &sheet, &e.runs[i], &g);
    if (!user_named_run && e.count)
        draw_square(&o, &sheet, e.runs->config.positions);
    sheet_print(&sheet, layout_of(&o));
    return status;
}
