/* list.c - qkv list: the variants and the tasks there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "describe.h"
#include "grid.h"
#include "options.h"
#include "print.h"
#include "task.h"
#include "words.h"

/* The start config with what was given to each setting. */
static Config
given_config(const Options *o)
{
    Config c = config_start();
    for (int i = 0; i < setting_count; i++)
        if (o->given[i].count)
            setting_set(&settings[i], &c, o->given[i].text[0]);
    return c;
}

static const char *
name_of(const char *path)
{
    static char name[NAME_SIZE];
    plugin_name(path, name);
    return name;
}

static int
list_variants(const Options *o)
{
    Config c = given_config(o), trial = c;
    int count, failed = 0;
    config_settle(&trial, "heads d-k d-v"); /* refuses a wrong shape once */
    char **paths = plugin_list(&count);
    Sheet sheet = {.cols = 3, .text = true};
    sheet_add(&sheet, "variant");
    sheet_add(&sheet, "parameters");
    sheet_add(&sheet, "equation");
    for (int i = 0; i < count; i++) {
        Facts f = describe(paths[i], &c, false);
        failed += !f.ok;
        if (f.ok) {
            sheet_add(&sheet, "%s", f.name);
            sheet_add(&sheet, "%zu", f.parameters);
            sheet_add(&sheet, "%s", f.equation);
        } else
            note("%s is left out: %s", name_of(paths[i]), f.why);
        free(paths[i]);
    }
    free(paths);
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
    Source s = source_open(&c);
    Levels l = source_levels(&s);
    snprintf(chance, 16, "%.2f", l.chance);
    snprintf(cheat, 16, "%.2f", l.cheat);
}

static void
list_tasks(const Options *o)
{
    char chance[16], cheat[16];
    bool whole = o->only_tasks && wants_tsv(o->tsv);
    Sheet sheet = {.cols = whole ? 6 : 4, .text = true};
    const char *const names[] = {
        "task", "chance", "cheat", "what", "what the cheat does", "settings"};
    for (int i = 0; i < sheet.cols; i++)
        sheet_add(&sheet, "%s", names[i]);
    for (int i = 0; i < task_count; i++) {
        const Task *t = &tasks[i];
        levels_text(t, chance, cheat);
        sheet_add(&sheet, "%s", t->name);
        sheet_add(&sheet, "%s", chance);
        sheet_add(&sheet, "%s", cheat);
        sheet_add(&sheet, "%s", t->what);
        if (whole) {
            sheet_add(&sheet, "%s", t->cheat);
            sheet_add(&sheet, "%s", t->settings);
        }
    }
    sheet_print(&sheet, wants_tsv(o->tsv));
    if (wants_tsv(o->tsv))
        return;
    printf("(accuracy of guessing evenly, and of a cheat that does not learn "
           "the task)\n");
    for (int i = 0; o->only_tasks && i < task_count; i++) {
        char *words = copy_text(tasks[i].settings);
        int at = 3;
        printf("\n%s: the cheat is %s\n   ", tasks[i].name, tasks[i].cheat);
        for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
            if (at + (int)strlen(w) > 78) {
                printf("\n   ");
                at = 3;
            }
            at += printf(" %s", w);
        }
        free(words);
    }
    if (o->only_tasks)
        printf("\n");
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
