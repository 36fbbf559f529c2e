/* list.c - qkv list: the variants and the tasks there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "task/task.h"
#include "driver/cli/describe.h"
#include "driver/cli/options.h"
#include "driver/cli/print.h"
#include "driver/sweep/grid.h"
#include "driver/commands.h"

static int
list_variants(const Options *o)
{
    Config c = config_start();
    int count, failed = 0;
    options_apply(o, &c);
    Config trial = c;
    config_settle(&trial, "heads d-k d-v"); /* refuses a wrong shape once */
    char **names = plugin_list(&count);
    Sheet sheet = {.cols = 3, .text = true};
    sheet_add(&sheet, "variant\tparameters\tequation");
    for (int i = 0; i < count; i++) {
        Facts f = describe(names[i], &c, false);
        failed += !f.ok;
        if (f.ok)
            sheet_add(&sheet, "%s\t%zu\t%s", f.name, f.parameters, f.equation);
        else
            note("%s is left out: %s", names[i], f.why);
        free(names[i]);
    }
    free(names);
    if (count == 0)
        fail("no variants found: build them with `make`, or set QKV_PATH to "
             "their directory");
    sheet_print(&sheet, wants_tsv(o->tsv));
    if (!wants_tsv(o->tsv))
        printf("(parameters of one attention at d-model %d, heads %d)\n",
               c.d_model, c.heads);
    return failed > 0;
}

/* Chance and cheat of a task at its own settings; "-" where a file decides. */
static void
levels_text(const Task *t, char chance[16], char cheat[16])
{
    snprintf(chance, 16, "-");
    snprintf(cheat, 16, "-");
    if (!t->draw)
        return;
    Config c = ordinary_config(t->name, "standard", "heads d-k d-v");
    Dataset data = dataset_open(&c);
    Levels l = dataset_levels(&data);
    snprintf(chance, 16, "%.2f", l.chance);
    snprintf(cheat, 16, "%.2f", l.cheat);
}

static void
list_tasks(const Options *o)
{
    char chance[16], cheat[16];
    bool whole = o->only_tasks && wants_tsv(o->tsv);
    Sheet sheet = {.cols = whole ? 6 : 4, .text = true};
    sheet_add(&sheet, "task\tchance\tcheat\twhat");
    if (whole)
        sheet_add(&sheet, "what the cheat does\tsettings");
    for (int i = 0; i < task_count; i++) {
        const Task *t = &tasks[i];
        levels_text(t, chance, cheat);
        sheet_add(&sheet, "%s\t%s\t%s\t%s", t->name, chance, cheat, t->what);
        if (whole)
            sheet_add(&sheet, "%s\t%s", t->cheat, t->settings);
    }
    sheet_print(&sheet, wants_tsv(o->tsv));
    if (wants_tsv(o->tsv))
        return;
    printf("(accuracy of guessing evenly, and of a cheat that does not learn "
           "the task)\n");
    for (int i = 0; o->only_tasks && i < task_count; i++) {
        printf("%s%s: the cheat is %s\n", i ? "" : "\n", tasks[i].name,
               tasks[i].cheat);
        print_folded(stdout, 0, 4, 79, tasks[i].settings);
    }
}

int
command_list(int argc, char **argv)
{
    Options o = options_read(argc, argv, LIST);
    int status = 0;
    if (!o.only_tasks)
        status = list_variants(&o);
    if (!o.only_tasks && !o.only_variants)
        printf("\n");
    if (!o.only_variants)
        list_tasks(&o);
    options_free(&o);
    return status;
}
