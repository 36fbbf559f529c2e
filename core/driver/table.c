/* table.c - qkv table: prints a row for each run, for programs such as pandas
   and R; or, with --verdicts, the tables that compare prints.

   A row has the run's name, task, variant and seed, the other settings that
   vary between runs, the results (the lines of result.tsv and timing.tsv), and
   the number of real parameters. People see only the few columns that matter in
   a comparison. */
#include <math.h>
#include <string.h>

#include "driver/options.h"
#include "study/verdict_table.h"
#include "study/where.h"

static const char first_columns[] = "run,task,variant,seed";
/* The only results that people see; programs see all. */
static const char main_results[] = "solved_at test_accuracy test_loss seconds";

/* Adds a name, unless the list has it already. */
static void
add_name(Values *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (!strcmp(names->text[i], name))
            return;
    values_add(names, copy_text(name));
}

static bool
setting_varies(const Setting *s, const Experiment *e)
{
    for (int i = 1; i < e->count; i++)
        if (!setting_equal(s, &e->runs[i].config, &e->runs[0].config))
            return true;
    return false;
}

/* The names of all columns: the first ones, the settings (but no hashes) that
   are not the same in all runs, and all results. A name that is both a setting
   and a result, such as "steps", is the result. */
static Values
names_of(const Experiment *e)
{
    Values names = values_split(first_columns);
    for (const Setting *s = settings; s < settings + setting_count; s++) {
        bool is_result = run_text(e->runs, s->name); /* added below */
        if (setting_varies(s, e) && !is_result && s->kind != HASH)
            add_name(&names, s->name);
    }
    for (const Run *r = e->runs; r < e->runs + e->count; r++)
        for (int row = 0; row < r->result.rows; row++)
            add_name(&names, table_cell(&r->result, row, NAME_COLUMN));
    add_name(&names, "real");
    return names;
}

/* Returns whether this name, which has numbers, has only whole ones. */
static bool
all_whole(const Experiment *e, const char *name)
{
    for (const Run *r = e->runs; r < e->runs + e->count; r++) {
        double x = run_value_number(r, name);
        if (!isnan(x) && x != floor(x))
            return false;
    }
    return true;
}

/* The column with this name. People see a setting only if it is one of the
   first columns or was given to a command, and a result only if it is a main
   one. If the table is `for_people`, results are rounded, but no counts. */
static Column
column_of(const char *name, const Experiment *e, bool for_people)
{
    bool is_result = run_text(e->runs, name);
    bool is_setting = setting_named(name) && !is_result;
    bool people_see = index_in(main_results, name) >= 0;
    bool words = !has_numbers(name);
    bool rounded = is_result && for_people && !words && !all_whole(e, name);
    if (is_setting)
        people_see =
            index_in(first_columns, name) >= 0 || setting_was_given(e, name);
    return (Column){.name = interned(name),
                    .words = words,
                    .format = rounded ? "%.3g" : NULL,
                    .readers = people_see ? EVERYBODY : PROGRAMS};
}

/* Prints a row for each run. */
static void
print_runs(const Experiment *e, const char *chosen, Layout layout)
{
    Values names = names_of(e);
    Column *columns = allocate((size_t)names.count, sizeof *columns);
    Cell *cells = allocate((size_t)names.count, sizeof *cells);
    for (int i = 0; i < names.count; i++)
        columns[i] = column_of(names.text[i], e, !for_programs(layout));
    Sheet sheet = sheet_new(columns, names.count, NULL, chosen);
    for (const Run *r = e->runs; r < e->runs + e->count; r++) {
        for (int i = 0; i < names.count; i++) {
            const char *name = names.text[i];
            if (columns[i].words)
                cells[i] = cell(run_value_text(r, name));
            else
                cells[i] = cell(run_value_number(r, name));
        }
        sheet_add_row(&sheet, cells);
    }
    sheet_print(&sheet, layout);
}

int
command_table(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    const Request *r = &o.request;
    Experiment e = experiment_read(o.words, o.word_count);
    if (r->where)
        keep_where(&e, r->where);
    bool asks_question = r->by || r->baseline || r->judge || r->margin;
    if (o.verdicts || asks_question) {
        Outcomes all = outcomes_of(r, &e);
        results_print(&all, o.columns, layout_of(&o));
    } else
        print_runs(&e, o.columns, layout_of(&o));
    return 0;
}
