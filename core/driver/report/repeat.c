/* repeat.c - the commands that make the runs of an experiment again. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "driver/report/repeat.h"

Values
values_in(const Run *runs, int count, const char *setting, bool given)
{
    Values v = {0};
    char value[VALUE_SIZE];
    const Setting *s = setting_named(setting);
    for (int i = 0; i < count; i++) {
        const Config *c = &runs[i].config;
        if (setting_unused(s, c) || setting_matched(s, c))
            continue;
        if (given)
            setting_asked(s, c, value);
        else
            run_setting(&runs[i], setting, value);
        if (*value)
            add_series(&v, value);
    }
    return v;
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

/* Adds " --NAME LIST", quoted where a shell asks for it. */
static void
add_argument(char **text, const char *name, const char *list)
{
    bool plain = strspn(list, NAME_LETTERS ",.=/") == strlen(list);
    char *word = plain ? copy_text(list) : quoted(list);
    replace(text, format_text("%s --%s %s", *text, name, word));
    free(word);
}

/* Whose budget they had to meet, if not the usual one's. */
static void
add_baseline(char **text, const Run *runs, int count)
{
    for (int i = 0; i < count; i++) {
        const char *name = runs[i].config.match.as.variant;
        if (*name && strcmp(name, BASELINE)) {
            add_argument(text, "baseline", name);
            return;
        }
    }
}

/* Adds the command that repeats the runs of one task: what the task does not
   say. Returns as many runs as its grid makes, where no variant lacks a
   setting. */
static double
add_command(char **text, const Run *runs, int count, const char *out)
{
    bool wide = runs->config.precision == PRECISION_DOUBLE;
    double product = 1;
    replace(text, format_text("%sqkv%s compare", *text, wide ? "-double" : ""));
    for (int s = 0; s < setting_count; s++) {
        const Setting *setting = &settings[s];
        bool always = !strcmp(setting->name, "variant") ||
                      !strcmp(setting->name, "task") ||
                      !strcmp(setting->name, "seed");
        if (!setting->help || (!always && as_usual(runs, count, setting)))
            continue;
        Values v = values_in(runs, count, setting->name, true);
        char *list = joined(&v, ",");
        if (v.count)
            add_argument(text, setting->name, list);
        product *= v.count ? v.count : 1;
        free(list);
        values_free(&v);
    }
    add_baseline(text, runs, count);
    add_argument(text, "out", out);
    replace(text, format_text("%s\n", *text));
    return product;
}

char *
commands_of(const Run *runs, int count, const char *out, bool *exact)
{
    Values tasks_in = values_in(runs, count, "task", false);
    char *all = copy_text("");
    *exact = true;
    for (int t = 0; t < tasks_in.count; t++) {
        Run *of_task = allocate((size_t)count, sizeof *of_task);
        int n = 0;
        for (int i = 0; i < count; i++)
            if (!strcmp(runs[i].config.task, tasks_in.text[t]))
                of_task[n++] = runs[i];
        *exact &= add_command(&all, of_task, n, out) == n;
        for (int i = 0; i < n; i++) /* a train, which compare has no word for */
            *exact &= !*of_task[i].config.from;
        free(of_task);
    }
    values_free(&tasks_in);
    return all;
}
