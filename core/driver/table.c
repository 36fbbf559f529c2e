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
#include "study/frame.h"
#include "study/results_table.h"

static const char first[] = "run,task,variant,seed";
static const char shown[] = "solved_at test_accuracy test_loss seconds";

/* Adds a setting unless all runs have the same value of it. */
static void
add_setting(Values *names, const Experiment *e, const Setting *s)
{
    bool varies = false;
    for (int i = 1; i < e->count; i++)
        varies |= !setting_equal(s, &e->runs[i].config, &e->runs[0].config);
    if (varies && s->kind != HASH && index_in(first, s->name) < 0)
        values_add(names, copy_text(s->name));
}

/* Adds a result unless it is there, from number `from` on. */
static void
add_result(Values *names, int from, const char *name)
{
    for (int i = from; i < names->count; i++)
        if (!strcmp(names->text[i], name))
            return;
    values_add(names, copy_text(name));
}

/* What a program can have for the name of a variable. */
static const char *
column_name(const char *name, bool setting, const Experiment *e)
{
    bool taken = setting && run_has(&e->runs[0], name); /* steps */
    char *text = format_text("%s%s", name, taken ? "_setting" : "");
    for (char *c = text; *c; c++)
        *c = *c == '-' ? '_' : *c;
    const char *kept = interned(text);
    free(text);
    return kept;
}

/* A setting as it was used, also where --match has chosen it; a result as it
   was written, except for a step that never came. */
static Cell
cell_of(const Run *r, const char *name, const Setting *s, bool words)
{
    char text[VALUE_SIZE];
    if (words)
        return cell_words(run_value(r, name));
    double x = run_number(r, name);
    if (!s)
        return cell_number(x == 0 && !strcmp(name, "solved_at") ? NAN : x);
    setting_print(s, &r->config, text);
    x = strtod(text, NULL);
    return cell_number(setting_unused(s, &r->config) ? NAN : x);
}

static Column
column_of(const char *name, const Setting *s, const Experiment *e, bool people)
{
    bool asked = index_in(first, name) >= 0 || experiment_asks(e, name);
    bool seen = s ? asked : index_in(shown, name) >= 0;
    bool words = s ? !setting_numeric(s) : index_in("run status", name) >= 0;
    return (Column){.name = column_name(name, s, e),
                    .words = words,
                    .format = !s && people ? "%.3g" : NULL,
                    .readers = seen ? EVERYBODY : PROGRAMS};
}

static void
print_runs(const Experiment *e, Layout layout)
{
    Values names = values_cut(first);
    for (const Setting *s = settings; s < settings + setting_count; s++)
        add_setting(&names, e, s);
    int results = names.count;
    for (int i = 0; i < e->count; i++)
        for (int k = 0; k < e->runs[i].result.rows; k++)
            add_result(&names, results, table_cell(&e->runs[i].result, k, 0));
    add_result(&names, results, "real");
    Column *columns = allocate((size_t)names.count, sizeof *columns);
    Cell *cells = allocate((size_t)names.count, sizeof *cells);
    const Setting **set = allocate((size_t)names.count, sizeof *set);
    for (int i = 0; i < names.count; i++) {
        set[i] = i < results ? setting_named(names.text[i]) : NULL;
        columns[i] = column_of(names.text[i], set[i], e, layout != TSV);
    }
    Sheet sheet = sheet_of(columns, names.count);
    for (const Run *r = e->runs; r < e->runs + e->count; r++) {
        for (int i = 0; i < names.count; i++)
            cells[i] = cell_of(r, names.text[i], set[i], columns[i].words);
        sheet_add_row(&sheet, cells);
    }
    sheet_print(&sheet, layout);
    free(columns);
    free(cells);
    free(set);
    values_free(&names);
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
    if (o.verdicts) {
        Outcomes all = outcomes_of(r, &e);
        results_print(&all, layout_of(&o));
        outcomes_free(&all);
    } else
        print_runs(&e, layout_of(&o));
    experiment_free(&e);
    return 0;
}
