/* repeat.c - the commands that make the runs of an experiment again. */
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "repeat.h"
#include "words.h"

Values
values_in(const Run *runs, int count, const char *setting)
{
    Values v = {0};
    char value[VALUE_SIZE];
    for (int i = 0; i < count; i++) {
        const Setting *s = setting_named(setting);
        if (setting_unused(s, &runs[i].config) ||
            setting_matched(s, &runs[i].config))
            continue;
        run_setting(&runs[i], setting, value);
        add_series(&v, value);
    }
    return v;
}

char *
joined(const Values *v, const char *between)
{
    char *text = copy_text("");
    for (int i = 0; i < v->count; i++) {
        char *longer =
            format_text("%s%s%s", text, i ? between : "", v->text[i]);
        free(text);
        text = longer;
    }
    return text;
}

/* Has every run what its task has anyway, or what follows from the rest? */
static bool
as_usual(const Run *runs, int count, const Setting *s)
{
    for (int i = 0; i < count; i++) {
        Config usual = config_start();
        config_apply(&usual, task_named(runs[i].config.task)->settings);
        if (!setting_unused(s, &runs[i].config) &&
            !setting_matched(s, &runs[i].config) &&
            !setting_equal(s, &runs[i].config, &usual) &&
            !setting_follows(s, &runs[i].config))
            return false;
    }
    return true;
}

/* A value as it was given: without what was found for it. */
static char *
given_list(const Values *v)
{
    Values given = {0};
    for (int i = 0; i < v->count; i++)
        if (*v->text[i] && strcmp(v->text[i], "none"))
            add_series(&given, v->text[i]);
    char *list = joined(&given, ",");
    values_free(&given);
    return list;
}

/* " --NAME LIST", quoted where a shell asks for it; to be freed. */
static char *
argument(const char *name, const char *list)
{
    bool plain = strspn(list, "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789,.-_=+/") == strlen(list);
    char *word = plain ? copy_text(list) : quoted(list, "'\\''");
    char *text = format_text(" --%s %s", name, word);
    free(word);
    return text;
}

/* The command that repeats the runs of one task: what the task does not say;
 *product: as many runs as its grid makes, where no variant lacks a setting. */
static char *
command_of(const Run *runs, int count, const char *out, double *product)
{
    char *text = copy_text("qkv compare");
    *product = 1;
    for (int s = 0; s < setting_count; s++) {
        const Setting *setting = &settings[s];
        bool always = !strcmp(setting->name, "variant") ||
                      !strcmp(setting->name, "task") ||
                      !strcmp(setting->name, "seed");
        if (!setting->help || (!always && as_usual(runs, count, setting)))
            continue;
        Values v = values_in(runs, count, setting->name);
        char *list = given_list(&v), *word = argument(setting->name, list);
        char *longer =
            *list ? format_text("%s%s", text, word) : copy_text(text);
        *product *= *list ? v.count : 1;
        free(text);
        free(list);
        free(word);
        values_free(&v);
        text = longer;
    }
    char *whole = format_text("%s --out %s\n", text, out);
    free(text);
    return whole;
}

char *
commands_of(const Run *runs, int count, const char *out, bool *exact)
{
    Values tasks_in = values_in(runs, count, "task");
    char *all = copy_text("");
    *exact = true;
    for (int t = 0; t < tasks_in.count; t++) {
        Run *of_task = allocate((size_t)count, sizeof *of_task);
        int n = 0;
        double product;
        for (int i = 0; i < count; i++)
            if (!strcmp(runs[i].config.task, tasks_in.text[t]))
                of_task[n++] = runs[i];
        char *one = command_of(of_task, n, out, &product);
        char *longer = format_text("%s%s", all, one);
        *exact &= product == n;
        free(all);
        free(one);
        free(of_task);
        all = longer;
    }
    values_free(&tasks_in);
    return all;
}
