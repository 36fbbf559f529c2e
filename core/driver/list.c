/* list.c - qkv list: the variants and the tasks there are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/tasks.h"
#include "run/describe.h"
#include "driver/options.h"
#include "run/real_count.h"
#include "study/table.h"
#include "driver/commands.h"
#include "run/grid.h"
#include "heart/fail.h"

static int
by_family(const void *a, const void *b)
{
    const Facts *f = a, *g = b;
    int order = strcmp(f->family, g->family);
    return order ? order : strcmp(f->name, g->name);
}

/* How many parameters are really there in a variant of that shape. */
static double
real_in(const char *word, Config c)
{
    c.variant = interned(word);
    return real_ones(&c).real;
}

static int
list_variants(const Options *o, Layout layout)
{
    bool family = o->list.family, counted = o->list.real;
    const Column columns[] = {
        {"family", .words = true, .readers = family ? EVERYBODY : NOBODY},
        {"variant", .words = true},
        {.name = "parameters"},
        {.name = "real", .readers = counted ? EVERYBODY : NOBODY},
        {"equation", .words = true, .readers = family ? PROGRAMS : EVERYBODY},
        {"settings", .words = true}};
    Config c = config_start();
    int failed = 0;
    bool any = false;
    if (counted)
        c.d_model = 8; /* which takes no time */
    request_apply(&o->request, &c);
    Config trial = c;
    config_resolve(&trial, "heads d-k d-v"); /* refuses a wrong shape once */
    Values names = plugin_list();
    int count = names.count;
    Facts *facts = allocate((size_t)count, sizeof *facts);
    for (int i = 0; i < count; i++)
        facts[i] = describe(names.text[i], &c, DECLARED);
    values_free(&names);
    if (family)
        qsort(facts, (size_t)count, sizeof *facts, by_family);
    Sheet sheet = sheet_of(columns, 6);
    for (int i = 0; i < count; i++) {
        const Facts *f = &facts[i];
        failed += !f->ok;
        any |= *f->own;
        if (f->ok)
            sheet_row(&sheet, cell_words(f->family), cell_words(f->name),
                      cell_number((double)f->parameters),
                      cell_number(counted ? real_in(f->word, c) : NAN),
                      cell_words(f->equation), cell_words(f->own));
        else
            note("%s is left out: %s", f->name, f->why);
    }
    free(facts);
    if (count == 0)
        fail("no variants found: build them with `make`, or set QKV_PATH to "
             "their directory");
    sheet.columns[5].readers = !any ? NOBODY : family ? EVERYBODY : PROGRAMS;
    sheet_note(&sheet, "variants",
               format_text("Parameters of one attention at d-model %d, heads "
                           "%d.",
                           c.d_model, c.heads));
    sheet_print(&sheet, layout);
    return failed > 0;
}

/* Chance and trivial baseline of a task at its own settings; NaN where a file
 * decides. */
static Levels
levels_of(const Task *t)
{
    Config c = ordinary_config(t->name, "standard", "heads d-k d-v");
    if (!t->draw)
        return (Levels){.chance = NAN, .trivial = NAN};
    Dataset data = dataset_open(&c);
    return dataset_levels(&data, VALIDATION);
}

/* "length=8 ... positions=none": what a task starts with, but for what is 0. */
static const char *
start_of(const Task *t)
{
    char *all = copy_text(""), value[VALUE_SIZE];
    Config c = task_start(t->name);
    for (const Setting *s = settings; s < settings + settings_built_in; s++) {
        setting_print(s, &c, value);
        if (s->role & (OF_DATA | OF_SHAPE | OF_MODEL | OF_TRAINING) &&
            s->kind != WORD && strcmp(value, "0"))
            replace(&all, format_text("%s%s%s=%s", all, *all ? " " : "",
                                      s->name, value));
    }
    const char *own = interned(all);
    free(all);
    return own;
}

static void
list_tasks(const Options *o, Layout layout)
{
    Readers whole = !o->list.tasks      ? NOBODY
                    : layout == ALIGNED ? PROGRAMS
                                        : EVERYBODY;
    const Column columns[] = {
        {"task", .words = true},
        {"chance", .format = "%.2f"},
        {"trivial", .format = "%.2f"},
        {"what", .words = true},
        {"what the baseline does", .words = true, .readers = whole},
        {"settings", .words = true, .readers = whole}};
    Sheet sheet = sheet_of(columns, 6);
    for (int i = 0; i < task_count; i++) {
        const KnownTask *t = &tasks[i];
        Levels l = levels_of(t->task);
        sheet_row(&sheet, cell_words(t->task->name), cell_number(l.chance),
                  cell_number(l.trivial), cell_words(t->what),
                  cell_words(t->trivial), cell_words(start_of(t->task)));
    }
    sheet_note(&sheet, "tasks",
               copy_text("Accuracy of guessing evenly, and of a trivial "
                         "baseline that does not learn the task."));
    sheet_print(&sheet, layout);
    for (int i = 0; layout == ALIGNED && o->list.tasks && i < task_count; i++) {
        printf("%s%s: the trivial baseline is %s\n", i ? "" : "\n",
               tasks[i].task->name, tasks[i].trivial);
        print_wrapped(stdout, 0, 4, 79, start_of(tasks[i].task));
    }
}

int
command_list(int argc, char **argv)
{
    Options o = options_read(argc, argv, LIST);
    Layout layout = layout_of(&o);
    int status = 0;
    if (o.list.real && o.list.tasks)
        usage("--real and --tasks contradict each other: tasks have no "
              "parameters");
    o.list.variants |= o.list.family;
    if (o.list.tasks && o.list.variants)
        usage("--tasks and --%s contradict each other: each shows one table "
              "alone",
              o.list.family ? "family" : "variants");
    if (layout == JSON && !o.list.tasks && !o.list.variants)
        usage("list has two tables: with --json give --variants or --tasks");
    if (!o.list.tasks)
        status = list_variants(&o, layout);
    if (!o.list.tasks && !o.list.variants)
        printf("\n");
    if (!o.list.variants)
        list_tasks(&o, layout);
    request_free(&o.request);
    return status;
}
