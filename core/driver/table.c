/* table.c - qkv table: every run as one row, for pandas and R; or what compare
   prints of them.

   Columns are the run's name, task, variant and seed, the other settings that
   vary, what result.tsv has and what timing.tsv has. People see the few of them
   that a comparison is about. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "driver/options.h"
#include "study/table.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "study/group.h"
#include "study/results_table.h"
#include "heart/fail.h"
#include "run/experiment.h"

/* A column, and where its cells come from. */
typedef struct Field {
    Column column;
    enum { OF_RUN, OF_SETTING, OF_RESULT, OF_TIMING } from;
    const char *key;
} Field;

typedef struct Fields {
    Field *list;
    int count, room;
} Fields;

/* A name that a program can have for a variable. */
static const char *
column_name(const char *key, bool taken)
{
    char *name = format_text("%s%s", key, taken ? "_setting" : "");
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    const char *kept = interned(name);
    free(name);
    return kept;
}

static void
add_field(Fields *f, int from, const char *key, Column c)
{
    f->list = grow(f->list, f->count, &f->room, sizeof *f->list);
    f->list[f->count++] = (Field){c, from, interned(key)};
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

static const char always[] = "task variant seed";

static void
add_setting(Fields *f, const Experiment *e, const Setting *s)
{
    bool taken = run_has(&e->runs[0], s->name); /* steps, loss */
    bool asked = index_in(always, s->name) >= 0 || experiment_asks(e, s->name);
    add_field(f, OF_SETTING, s->name,
              (Column){.name = column_name(s->name, taken),
                       .words = !setting_numeric(s),
                       .spare = asked ? 0 : 3});
}

/* Task, variant and seed always; of the others those that vary, and a rate that
   --lr auto has found. */
static void
add_settings(Fields *f, const Experiment *e)
{
    const char *lr = experiment_said(e, "lr");
    bool found = lr && !strcmp(lr, "auto");
    add_setting(f, e, setting_named("task"));
    add_setting(f, e, setting_named("variant"));
    add_setting(f, e, setting_named("seed"));
    for (const Setting *s = settings; s < settings + setting_count; s++)
        if (index_in(always, s->name) < 0 && s->kind != HASH &&
            (varies(e, s) || (found && !strcmp(s->name, "lr"))))
            add_setting(f, e, s);
}

/* What any of the runs has in result.tsv. */
static void
add_results(Fields *f, const Experiment *e, bool people)
{
    static const char shown[] = "solved_at test_accuracy test_loss";
    void *known = NULL;
    for (int i = 0; i < e->count; i++)
        for (int k = 0; k < e->runs[i].result.rows; k++) {
            const char *key = table_cell(&e->runs[i].result, k, 0);
            if (!word_added(&known, key))
                continue;
            bool both = index_in(shown, key) >= 0;
            add_field(f, OF_RESULT, key,
                      (Column){.name = column_name(key, false),
                               .words = !strcmp(key, "status"),
                               .format = people ? "%.3g" : NULL,
                               .readers = both ? EVERYBODY : PROGRAMS,
                               .spare = strcmp(key, "test_accuracy") != 0});
        }
    while (known) /* a root is where its word is */
        word_removed(&known, *(const char *const *)known);
}

static Fields
fields_of(const Experiment *e, bool people)
{
    static const char *const timings[] = {"seconds", "tokens_per_second",
                                          "peak_bytes", "step_bytes"};
    Fields f = {0};
    add_field(&f, OF_RUN, "run",
              (Column){.name = "run", .words = true, .readers = PROGRAMS});
    add_settings(&f, e);
    add_results(&f, e, people);
    for (int i = 0; i < 4; i++)
        add_field(&f, OF_TIMING, timings[i],
                  (Column){.name = timings[i],
                           .readers = i ? PROGRAMS : EVERYBODY,
                           .spare = 2});
    return f;
}

/* The value of a key in RUN/FILE, a table of two columns: no cell where it has
   none, nor is the step at which a run was solved that never was. */
static Cell
cell_in(const Table *t, const Run *r, const char *file, const Field *f)
{
    int row = 0;
    while (row < t->rows && strcmp(table_cell(t, row, 0), f->key))
        row++;
    if (row == t->rows)
        return f->column.words ? cell_words(NULL) : cell_number(NAN);
    if (f->column.words)
        return cell_words(table_cell(t, row, 1));
    double x = table_number(t, row, 1, within(r->path, file).text);
    return cell_number(strcmp(f->key, "solved_at") || x > 0 ? x : NAN);
}

/* One cell; `text` has the memory for what it shows. What a variant has no use
   for is not known. */
static Cell
cell_of(const Run *r, const Table *timing, const Field *f,
        char text[VALUE_SIZE])
{
    const Setting *s = setting_named(f->key);
    if (f->from == OF_RUN)
        return cell_words(r->name);
    if (f->from == OF_RESULT)
        return cell_in(&r->result, r, "result.tsv", f);
    if (f->from == OF_TIMING)
        return cell_in(timing, r, "timing.tsv", f);
    bool unused = setting_unused(s, &r->config);
    run_setting(r, f->key, text);
    return f->column.words ? cell_words(unused ? NULL : text)
                           : cell_number(unused ? NAN : strtod(text, NULL));
}

static void
add_run(Sheet *sheet, const Fields *f, const Run *r)
{
    Path path = within(r->path, "timing.tsv");
    Table timing = table_read(path.text);
    Cell *cells = allocate((size_t)f->count, sizeof *cells);
    char(*texts)[VALUE_SIZE] = allocate((size_t)f->count, sizeof *texts);
    if (timing.cols != 2)
        fail("%s: not a table of times; remove the run to have it again",
             path.text);
    for (int i = 0; i < f->count; i++)
        cells[i] = cell_of(r, &timing, &f->list[i], texts[i]);
    sheet_add_row(sheet, cells, (size_t)f->count);
    free(texts);
    free(cells);
    table_free(&timing);
}

static Sheet
sheet_for(const Fields *f)
{
    Column *columns = allocate((size_t)f->count, sizeof *columns);
    for (int i = 0; i < f->count; i++)
        columns[i] = f->list[i].column;
    Sheet sheet = sheet_of(columns, f->count);
    sheet.label = "runs";
    free(columns);
    return sheet;
}

/* Means, intervals and verdicts. In LaTeX the words around the tables are text:
   it is a section of a report. */
static void
print_verdicts(const Options *o, const Experiment *e, Layout layout)
{
    const char *by = compared_by(&o->request, e);
    Values compared = values_in(e, by);
    check_baseline(o, by, &compared);
    values_free(&compared);
    Outcomes all = outcomes_of(&o->request, e);
    results_write(stdout, &all, layout == LATEX ? LATEX_TEXT : layout);
    outcomes_free(&all);
}

static void
print_runs(const Experiment *e, Layout layout)
{
    Fields f = fields_of(e, for_people(layout));
    Sheet sheet = sheet_for(&f);
    for (int i = 0; i < e->count; i++)
        add_run(&sheet, &f, &e->runs[i]);
    sheet_print(&sheet, layout);
    free(f.list);
}

int
command_table(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Layout layout = layout_of(&o);
    Experiment e = experiment_read((const char *const *)o.rest, o.rest_count);
    if (o.verdicts)
        print_verdicts(&o, &e, layout);
    else if (o.request.by || o.request.baseline || o.request.judge ||
             o.request.margin)
        usage("--%s: give --verdicts too: it is about them",
              o.request.by         ? "by"
              : o.request.baseline ? "baseline"
              : o.request.judge    ? "judge"
                                   : "margin");
    else
        print_runs(&e, layout);
    experiment_free(&e);
    request_free(&o.request);
    return 0;
}
