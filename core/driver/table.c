/* table.c - qkv table: every run as one row, for pandas and R; or what compare
   prints of them.

   Columns are the run's name, task, variant and seed, the other settings that
   vary, what result.tsv and timing.tsv have, and how many parameters are real.
   People see the few of them that a comparison is about. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "page/table.h"
#include "run/experiment.h"
#include "study/group.h"
#include "study/results_table.h"

static const char always[] = "task variant seed";

/* The columns: first the run's name, then settings, then lines of result.tsv,
   timing.tsv and real.tsv. */
typedef struct Fields {
    Values names;
    int settings; /* where they end */
} Fields;

/* Adds the name of a result that is not there yet. */
static void
add_result(Fields *f, const char *name)
{
    for (int i = f->settings; i < f->names.count; i++)
        if (!strcmp(f->names.text[i], name))
            return;
    values_add(&f->names, copy_text(name));
}

/* Have not all runs the same value of it? */
static bool
varies(const Experiment *e, const Setting *s)
{
    for (int i = 1; i < e->count; i++)
        if (!setting_equal(s, &e->runs[i].config, &e->runs[0].config))
            return true;
    return false;
}

/* Task, variant and seed always; of the others those that vary, and a rate that
   --lr auto has found. */
static Fields
fields_of(const Experiment *e)
{
    const char *lr = experiment_said(e, "lr");
    Fields f = {0};
    values_add(&f.names, copy_text("run"));
    for (int i = 0; i < 3; i++)
        values_add(&f.names, copy_text((const char *const[]){"task", "variant",
                                                             "seed"}[i]));
    for (const Setting *s = settings; s < settings + setting_count; s++)
        if (index_in(always, s->name) < 0 && s->kind != HASH &&
            (varies(e, s) ||
             (!strcmp(s->name, "lr") && lr && !strcmp(lr, "auto"))))
            values_add(&f.names, copy_text(s->name));
    f.settings = f.names.count;
    for (int i = 0; i < e->count; i++)
        if (i == 0 || e->runs[i].result.rows != e->runs[i - 1].result.rows)
            for (int k = 0; k < e->runs[i].result.rows; k++)
                add_result(&f, table_cell(&e->runs[i].result, k, 0));
    add_result(&f, "real");
    return f;
}

/* Its name is one that a program can have for a variable. */
static Column
column_of(const Fields *f, int i, const Experiment *e)
{
    static const char shown[] = "solved_at test_accuracy test_loss seconds";
    const char *key = f->names.text[i];
    const Setting *s = i < f->settings ? setting_named(key) : NULL;
    bool asked = s && (index_in(always, key) >= 0 || experiment_asks(e, key));
    bool taken = s && run_has(&e->runs[0], key); /* steps, loss */
    char *name = format_text("%s%s", key, taken ? "_setting" : "");
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    Column c = {
        .name = interned(name),
        .words = i == 0 || !strcmp(key, "status") || (s && !setting_numeric(s)),
        .readers =
            asked || (!s && index_in(shown, key) >= 0) ? EVERYBODY : PROGRAMS};
    free(name);
    return c;
}

/* A result: no cell where it has none, nor is the step at which a run was
   solved that never was. */
static Cell
result_cell(const Run *r, const char *key, bool words)
{
    if (words)
        return cell_words(run_text(r, key));
    double x = run_number(r, key);
    return cell_number(strcmp(key, "solved_at") || x > 0 ? x : NAN);
}

/* What a variant has no use for is not known. */
static Cell
setting_cell(const Run *r, const Setting *s, bool words)
{
    char text[VALUE_SIZE];
    bool unused = setting_unused(s, &r->config);
    setting_print(s, &r->config, text);
    return words ? cell_words(run_value(r, s->name))
                 : cell_number(unused ? NAN : strtod(text, NULL));
}

static void
add_row(Sheet *sheet, const Fields *f, const Run *r)
{
    Cell *cells = allocate((size_t)f->names.count, sizeof *cells);
    for (int i = 0; i < f->names.count; i++) {
        const char *key = f->names.text[i];
        bool words = sheet->columns[i].words;
        cells[i] = i == 0 ? cell_words(r->name)
                   : i < f->settings
                       ? setting_cell(r, setting_named(key), words)
                       : result_cell(r, key, words);
    }
    sheet_add_row(sheet, cells, (size_t)f->names.count);
    free(cells);
}

static void
print_runs(const Experiment *e, Layout layout)
{
    Fields f = fields_of(e);
    int count = f.names.count;
    Column *columns = allocate((size_t)count, sizeof *columns);
    for (int i = 0; i < count; i++) {
        columns[i] = column_of(&f, i, e);
        if (i >= f.settings && for_people(layout))
            columns[i].format = "%.3g";
    }
    Sheet sheet = sheet_of(columns, count);
    for (int i = 0; i < e->count; i++)
        add_row(&sheet, &f, &e->runs[i]);
    sheet_print(&sheet, layout);
    free(columns);
    values_free(&f.names);
}

/* Means, intervals and verdicts. */
static void
print_verdicts(const Request *r, const Experiment *e, Layout layout)
{
    Outcomes all = outcomes_of(r, e);
    results_write(stdout, &all, layout);
    outcomes_free(&all);
}

int
command_table(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    const Request *r = &o.request;
    Experiment e = experiment_read((const char *const *)o.rest, o.rest_count);
    if (r->where)
        keep_where(&e, r->where);
    if (!o.verdicts && (r->by || r->baseline || r->judge || r->margin))
        usage("--by, --baseline, --judge and --margin are about verdicts: give "
              "--verdicts too");
    (o.verdicts ? print_verdicts(r, &e, layout_of(&o))
                : print_runs(&e, layout_of(&o)));
    experiment_free(&e);
    return 0;
}
