/* table.c - qkv table: every run as one row, for pandas and R.

   Columns are the run's name, task, variant and seed, the other settings that
   vary, what result.tsv has and what timing.tsv has. People see the few of them
   that a comparison is about. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "run/experiment.h"
#include "driver/cli/options.h"
#include "driver/cli/table.h"
#include "driver/results/group.h"
#include "driver/commands.h"

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

static void
add_setting(Fields *f, const Experiment *e, const Setting *s)
{
    bool taken = run_has(&e->runs[0], s->name); /* steps, loss */
    add_field(f, OF_SETTING, s->name,
              (Column){.name = column_name(s->name, taken),
                       .words = !setting_numeric(s)});
}

/* Task, variant and seed always; of the others those that vary. */
static void
add_settings(Fields *f, const Experiment *e)
{
    static const char always[] = "task variant seed";
    add_setting(f, e, setting_named("task"));
    add_setting(f, e, setting_named("variant"));
    add_setting(f, e, setting_named("seed"));
    for (const Setting *s = settings; s < settings + setting_count; s++)
        if (index_in(always, s->name) < 0 && s->kind != HASH && varies(e, s))
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
                               .readers = both ? EVERYBODY : PROGRAMS});
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
        add_field(
            &f, OF_TIMING, timings[i],
            (Column){.name = timings[i], .readers = i ? PROGRAMS : EVERYBODY});
    return f;
}

/* The value of a key in a table of two columns; NULL where it has none. */
static const char *
value_in(const Table *t, const char *key)
{
    for (int i = 0; i < t->rows; i++)
        if (!strcmp(table_cell(t, i, 0), key))
            return table_cell(t, i, 1);
    return NULL;
}

/* One cell; `text` is room for what it shows. What a variant has no use for is
   not known, nor is the step at which a run was solved that never was. */
static Cell
cell_of(const Run *r, const Table *timing, const Field *f,
        char text[VALUE_SIZE])
{
    const char *value = NULL;
    if (f->from == OF_RUN)
        value = r->name;
    else if (f->from == OF_RESULT)
        value = value_in(&r->result, f->key);
    else if (f->from == OF_TIMING)
        value = value_in(timing, f->key);
    else if (!setting_unused(setting_named(f->key), &r->config)) {
        run_setting(r, f->key, text);
        value = text;
    }
    if (value && !strcmp(f->key, "solved_at") && !strcmp(value, "0"))
        value = NULL;
    return f->column.words ? cell_words(value)
                           : cell_number(value ? strtod(value, NULL) : NAN);
}

static void
add_run(Sheet *sheet, const Fields *f, const Run *r)
{
    Path path = below(r->path, "timing.tsv");
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
    free(columns);
    return sheet;
}

int
command_table(int argc, char **argv)
{
    Options o = options_read(argc, argv, TABLE);
    Layout layout = layout_of(&o);
    if (!o.rest_count)
        usage("table takes experiments: `qkv table build/demo`");
    Experiment e = experiment_read((const char *const *)o.rest, o.rest_count);
    Fields f = fields_of(&e, for_people(layout));
    Sheet sheet = sheet_for(&f);
    for (int i = 0; i < e.count; i++)
        add_run(&sheet, &f, &e.runs[i]);
    sheet_print(&sheet, layout);
    free(f.list);
    experiment_free(&e);
    options_free(&o);
    return 0;
}
