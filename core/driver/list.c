/* list.c - qkv list: the variants and the tasks there are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "task/task.h"
#include "driver/cli/describe.h"
#include "driver/cli/options.h"
#include "driver/cli/table.h"
#include "driver/sweep/grid.h"
#include "driver/commands.h"

static int
list_variants(const Options *o, Layout layout)
{
    static const Column columns[] = {{"variant", .words = true},
                                     {.name = "parameters"},
                                     {"equation", .words = true}};
    Config c = config_start();
    int count, failed = 0;
    options_apply(o, &c);
    Config trial = c;
    config_settle(&trial, "heads d-k d-v"); /* refuses a wrong shape once */
    char **names = plugin_list(&count);
    Sheet sheet = sheet_of(columns, 3);
    for (int i = 0; i < count; i++) {
        Facts f = describe(names[i], &c, false);
        failed += !f.ok;
        if (f.ok)
            sheet_row(&sheet, cell_words(f.name),
                      cell_number((double)f.parameters),
                      cell_words(f.equation));
        else
            note("%s is left out: %s", names[i], f.why);
        free(names[i]);
    }
    free(names);
    if (count == 0)
        fail("no variants found: build them with `make`, or set QKV_PATH to "
             "their directory");
    sheet_print(&sheet, layout);
    char *shape =
        format_text("(parameters of one attention at d-model %d, heads %d)",
                    c.d_model, c.heads);
    words_write(stdout, shape, layout);
    free(shape);
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
    return dataset_levels(&data);
}

static void
list_tasks(const Options *o, Layout layout)
{
    Readers whole = o->list.tasks ? PROGRAMS : NOBODY;
    const Column columns[] = {
        {"task", .words = true},
        {"chance", .format = "%.2f"},
        {"trivial", .format = "%.2f"},
        {"what", .words = true},
        {"what the baseline does", .words = true, .readers = whole},
        {"settings", .words = true, .readers = whole}};
    Sheet sheet = sheet_of(columns, 6);
    for (int i = 0; i < task_count; i++) {
        const Task *t = &tasks[i];
        Levels l = levels_of(t);
        sheet_row(&sheet, cell_words(t->name), cell_number(l.chance),
                  cell_number(l.trivial), cell_words(t->what),
                  cell_words(t->trivial), cell_words(t->settings));
    }
    sheet_print(&sheet, layout);
    words_write(
        stdout,
        "(accuracy of guessing evenly, and of a trivial baseline that does not "
        "learn the task)",
        layout);
    for (int i = 0; layout == ALIGNED && o->list.tasks && i < task_count; i++) {
        printf("%s%s: the trivial baseline is %s\n", i ? "" : "\n",
               tasks[i].name, tasks[i].trivial);
        print_wrapped(stdout, 0, 4, 79, tasks[i].settings);
    }
}

int
command_list(int argc, char **argv)
{
    Options o = options_read(argc, argv, LIST);
    Layout layout = layout_of(&o);
    int status = 0;
    if (layout == JSON && o.list.tasks == o.list.variants)
        usage("list has two tables: with --json give --variants or --tasks");
    if (!o.list.tasks)
        status = list_variants(&o, layout);
    if (!o.list.tasks && !o.list.variants)
        printf("\n");
    if (!o.list.variants)
        list_tasks(&o, layout);
    options_free(&o);
    return status;
}
