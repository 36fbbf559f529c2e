/* group.c - which runs are averaged, and which stand side by side.

   Only runs that differ in nothing but their seed may be averaged. So runs are
   cut into groups by what their commands asked for: those of one group have the
   same value of every setting that was given, or no use for it. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "variant/plugin.h"
#include "driver/results/group.h"

void
run_setting(const Run *r, const char *setting, char text[VALUE_SIZE])
{
    setting_asked(setting_named(setting), &r->config, text);
    if (setting_worded(setting_named(setting)) && !*text)
        strcpy(text, "none");
    for (char *c = text; *c; c++)
        *c = *c == ' ' || *c == '\'' || *c == '"' ? '_' : *c;
    if (setting_plugin(setting_named(setting)) && strcmp(text, "none")) {
        char path[VALUE_SIZE];
        strcpy(path, text);
        plugin_name(path, text);
    }
}

const char *
run_asked(const Run *r, const Setting *s)
{
    char text[VALUE_SIZE];
    if (setting_unused(s, &r->config))
        return NULL;
    run_setting(r, s->name, text);
    if (!setting_matched(s, &r->config))
        return interned(text);
    snprintf(text, sizeof text, "%d", shaped_value(&r->config.match.as, s));
    return strcmp(text, "0") ? interned(text) : NULL;
}

bool
series_before(const char *a, const char *b)
{
    char *a_end, *b_end;
    double x = strtod(a, &a_end), y = strtod(b, &b_end);
    if (!strcmp(a, BASELINE) || !strcmp(b, BASELINE))
        return strcmp(b, BASELINE) != 0;
    if (!*a_end && !*b_end)
        return x < y;
    return strcmp(a, b) < 0;
}

void
add_series(Values *s, const char *value)
{
    int at = 0;
    while (at < s->count && series_before(s->text[at], value))
        at++;
    for (int i = 0; i < s->count; i++)
        if (!strcmp(s->text[i], value))
            return;
    values_add(s, NULL);
    memmove(s->text + at + 1, s->text + at,
            (size_t)(s->count - 1 - at) * sizeof *s->text);
    s->text[at] = copy_text(value);
}

Values
files_in(const char *directory, const char *ending)
{
    Values names = {0};
    size_t most = strlen(ending);
    DIR *dir = opendir(directory);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n <= most || strcmp(e->d_name + n - most, ending))
            continue;
        e->d_name[n - most] = 0;
        add_series(&names, e->d_name);
    }
    if (dir)
        closedir(dir);
    return names;
}

Values
values_in(const Experiment *e, const char *setting)
{
    Values v = {0};
    const Setting *s = setting_named(setting);
    for (int i = 0; i < e->count; i++) {
        const char *value = run_asked(&e->runs[i], s);
        if (value)
            add_series(&v, value);
    }
    return v;
}

/* What runs are cut by. */
typedef struct Cut {
    const Experiment *e;
    const char *by, *x;  /* x: NULL over steps */
    int *axes, count;    /* places in settings[]: these tell groups apart */
    const char **values; /* of the axes, run by run, as run_asked says */
} Cut;

/* May it tell groups apart? Along a result, sizes may not: they lead there. */
static bool
may_part(const Cut *c, const Setting *s)
{
    bool size = s->role == OF_SHAPE || index_in("d-model layers", s->name) >= 0;
    return index_in("task seed file log", s->name) < 0 &&
           strcmp(s->name, c->by) && (!c->x || strcmp(s->name, c->x)) &&
           !(size && c->x && !setting_named(c->x));
}

/* Have two runs both a value of it, and another one? */
static bool
differ(const Run *a, const Run *b, const Setting *s)
{
    if (setting_equal(s, &a->config, &b->config))
        return false;
    const char *x = run_asked(a, s), *y = run_asked(b, s);
    return x && y && x != y;
}

bool
task_varies(const Experiment *e, const char *task, const Setting *s)
{
    const Setting *variant = setting_named("variant");
    const Run **firsts = NULL;
    int count = 0, room = 0;
    bool found = false;
    for (int i = 0; i < e->count && !found; i++) {
        const Run *r = &e->runs[i];
        int k = 0;
        if (strcmp(r->config.task, task) || setting_unused(s, &r->config) ||
            (setting_matched(s, &r->config) && !run_asked(r, s)))
            continue;
        while (k < count && s->role == OF_RECORD &&
               differ(firsts[k], r, variant))
            k++;
        if (k < count) {
            found = differ(firsts[k], r, s);
            continue;
        }
        firsts = grow(firsts, count, &room, sizeof *firsts);
        firsts[count++] = r;
    }
    free(firsts);
    return found;
}

/* The value of an axis; NULL where the run has none, or where it is recorded of
   a variant that has but one: a plugin that was rebuilt parts its own runs, and
   stands beside those of the others. */
static const char *
axis_value(const Experiment *e, const Run *r, const Setting *s)
{
    bool several = s->role != OF_RECORD;
    for (int i = 0; i < e->count && !several; i++)
        several = !strcmp(e->runs[i].config.task, r->config.task) &&
                  e->runs[i].config.variant == r->config.variant &&
                  differ(&e->runs[i], r, s);
    return several ? run_asked(r, s) : NULL;
}

static void
find_axes(Cut *c, const char *task)
{
    c->count = 0;
    for (int s = 0; s < setting_count; s++)
        if (may_part(c, &settings[s]) &&
            (settings[s].role == OF_RECORD ||
             experiment_asks(c->e, settings[s].name)) &&
            task_varies(c->e, task, &settings[s]))
            c->axes[c->count++] = s;
    free(c->values);
    c->values = allocate((size_t)(c->e->count * c->count + 1), sizeof(char *));
    for (int i = 0; i < c->e->count; i++)
        for (int k = 0; k < c->count; k++)
            c->values[i * c->count + k] =
                axis_value(c->e, &c->e->runs[i], &settings[c->axes[k]]);
}

/* Does the run fit a group, as far as both have values of the axes? */
static bool
fits(const Cut *c, const Group *g, const char *const *values)
{
    bool fits = true;
    for (int k = 0; k < c->count && fits; k++) {
        const char *value = g->key[c->axes[k]];
        fits = !value || !values[k] || value == values[k];
    }
    return fits;
}

static void
add_run(const Cut *c, Group *g, const Run *r, const char *const *values)
{
    char value[VALUE_SIZE];
    for (int k = 0; k < c->count; k++)
        if (values[k])
            g->key[c->axes[k]] = values[k];
    run_setting(r, c->by, value);
    g->runs = grow(g->runs, g->count, &g->room, sizeof *g->runs);
    g->runs[g->count++] = r;
    add_series(&g->series, value);
}

/* The groups of one task. Runs that have a value of every axis make them; the
   others, which are the same whatever it is, join each that they fit. */
static Group *
add_task(const Cut *c, const char *task, Group *list, int *groups)
{
    int first = *groups, room = first;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < c->e->count; i++) {
            const Run *r = &c->e->runs[i];
            const char *const *values = &c->values[i * c->count];
            bool joined = false, all = true;
            for (int k = 0; k < c->count; k++)
                all &= values[k] != NULL;
            if (strcmp(r->config.task, task) || all == pass)
                continue;
            for (int g = first; g < *groups; g++)
                if (fits(c, &list[g], values)) {
                    add_run(c, &list[g], r, values);
                    joined = true;
                }
            if (joined)
                continue;
            list = grow(list, *groups, &room, sizeof *list);
            list[*groups] =
                (Group){.key = allocate((size_t)setting_count, sizeof(char *))};
            add_run(c, &list[(*groups)++], r, values);
        }
    return list;
}

bool
same_but(const Run *a, const Run *b, const char *setting)
{
    for (int s = 0; s < setting_count; s++)
        if (strcmp(settings[s].name, setting) &&
            !setting_equal(&settings[s], &a->config, &b->config))
            return false;
    return true;
}

/* What is logged changes nothing in a run: of two that differ in it alone one
   counts. */
static void
drop_doubles(Group *g)
{
    int kept = 0;
    for (int i = 0; i < g->count; i++) {
        bool fresh = true;
        for (int k = 0; k < kept && fresh; k++)
            fresh = g->runs[k]->config.log == g->runs[i]->config.log ||
                    !same_but(g->runs[k], g->runs[i], "log");
        if (fresh)
            g->runs[kept++] = g->runs[i];
    }
    g->count = kept;
}

/* Exits where runs would be averaged that no seed tells apart: somebody put
   them there without a command that is recorded. */
static void
check_alike(const Cut *c, const Group *g)
{
    const Setting *by = setting_named(c->by);
    const Setting *x = c->x ? setting_named(c->x) : NULL;
    const Run **firsts = NULL;
    int count = 0, room = 0;
    for (int i = 0; i < g->count; i++) {
        const Run *r = g->runs[i];
        int k = 0;
        while (k < count && (run_asked(firsts[k], by) != run_asked(r, by) ||
                             (x && run_asked(firsts[k], x) != run_asked(r, x))))
            k++;
        for (int s = 0; k < count && s < setting_count; s++)
            if (may_part(c, &settings[s]) && differ(firsts[k], r, &settings[s]))
                fail("%s and %s differ in %s, which no command asked for that "
                     "is recorded in their experiment.tsv; run the command "
                     "that made them again: it trains nothing, and is recorded",
                     firsts[k]->path, r->path, settings[s].name);
        if (k < count)
            continue;
        firsts = grow(firsts, count, &room, sizeof *firsts);
        firsts[count++] = r;
    }
    free(firsts);
}

char *
group_name(const Group *g, const char *without)
{
    bool task = strcmp(without, "task");
    char *name = copy_text(task ? g->runs[0]->config.task : "");
    for (int s = 0; s < setting_count; s++)
        if (g->key[s] && strcmp(settings[s].name, without))
            replace(&name,
                    format_text(
                        "%s%s%s%.*s", name, *name ? "." : "", settings[s].name,
                        settings[s].kind == HASH ? 6 : VALUE_SIZE, g->key[s]));
    return name;
}

Group *
groups_of(const Experiment *e, const char *by, const char *x, int *groups)
{
    Cut c = {e, by, x, allocate((size_t)setting_count, sizeof(int)), 0, NULL};
    Group *list = NULL;
    *groups = 0;
    for (int i = 0; i < e->count; i++) {
        const char *task = e->runs[i].config.task;
        int g = 0;
        while (g < *groups && strcmp(list[g].runs[0]->config.task, task))
            g++;
        if (g < *groups)
            continue;
        find_axes(&c, task);
        list = add_task(&c, task, list, groups);
        for (; g < *groups; g++) {
            if (strcmp(by, "log"))
                drop_doubles(&list[g]);
            check_alike(&c, &list[g]);
            list[g].name = group_name(&list[g], "");
        }
    }
    free(c.axes);
    free(c.values);
    return list;
}

const Run **
series_runs(const Group *g, const char *by, const char *series, int *count)
{
    const Run **runs = allocate((size_t)g->count + 1, sizeof(const Run *));
    char text[VALUE_SIZE];
    *count = 0;
    for (int i = 0; i < g->count; i++) {
        run_setting(g->runs[i], by, text);
        if (!strcmp(text, series))
            runs[(*count)++] = g->runs[i];
    }
    return runs;
}

void
groups_free(Group *g, int groups)
{
    for (int i = 0; i < groups; i++) {
        free(g[i].runs);
        free(g[i].key);
        free(g[i].name);
        values_free(&g[i].series);
    }
    free(g);
}
