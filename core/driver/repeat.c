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

/* The values of a setting as they were given: paths whole, and without what was
   found for a start or a budget. */
static Values
values_given(const Run *runs, int count, const Setting *s)
{
    Values v = {0};
    bool found = !strcmp(s->name, "same-start") || !strcmp(s->name, "match");
    for (int i = 0; i < count; i++) {
        char value[VALUE_SIZE];
        if (setting_unused(s, &runs[i].config) ||
            setting_matched(s, &runs[i].config))
            continue;
        setting_print(s, &runs[i].config, value);
        if (found)
            value[strcspn(value, ":")] = 0;
        if (*value)
            add_series(&v, value);
    }
    return v;
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

/* text becomes text + more, and more goes. */
static char *
followed_by(char *text, char *more)
{
    char *whole = format_text("%s%s", text, more);
    free(text);
    free(more);
    return whole;
}

/* Whose budget they had to meet, "params:mqa+heads=4", if not the usual one's;
   to be freed. */
static char *
baseline_argument(const Run *runs, int count)
{
    for (int i = 0; i < count; i++) {
        const char *whose = strchr(runs[i].config.match, ':');
        char name[VALUE_SIZE] = BASELINE;
        if (whose)
            sscanf(whose, ":%1023[^+]", name);
        if (strcmp(name, BASELINE))
            return argument("baseline", name);
    }
    return copy_text("");
}

/* The command that repeats the runs of one task: what the task does not say;
 *product: as many runs as its grid makes, where no variant lacks a setting. */
static char *
command_of(const Run *runs, int count, const char *out, double *product)
{
    bool wide = runs->config.precision == PRECISION_DOUBLE;
    char *text = copy_text(wide ? "qkv-double compare" : "qkv compare");
    *product = 1;
    for (int s = 0; s < setting_count; s++) {
        const Setting *setting = &settings[s];
        bool always = !strcmp(setting->name, "variant") ||
                      !strcmp(setting->name, "task") ||
                      !strcmp(setting->name, "seed");
        if (!setting->help || (!always && as_usual(runs, count, setting)))
            continue;
        Values v = values_given(runs, count, setting);
        char *list = joined(&v, ",");
        if (v.count)
            text = followed_by(text, argument(setting->name, list));
        *product *= v.count ? v.count : 1;
        free(list);
        values_free(&v);
    }
    text = followed_by(text, baseline_argument(runs, count));
    text = followed_by(text, argument("out", out));
    return followed_by(text, copy_text("\n"));
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
        *exact &= product == n;
        for (int i = 0; i < n; i++) /* a train, which compare has no word for */
            *exact &= !*of_task[i].config.from;
        free(of_task);
        all = followed_by(all, one);
    }
    values_free(&tasks_in);
    return all;
}
