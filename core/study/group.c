/* group.c - which runs are averaged, and which stand side by side.

   Only runs that differ in nothing but their seed may be averaged. So runs are
   cut into groups by what their commands asked for: those of one group have the
   same value of every setting that was given, or no use for it. A run that has
   no use for a setting would be the same at each of its values, and is in the
   groups of all of them. */
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "study/group.h"
#include "study/quantity.h"

/* A run, the series that it is in, and its value along x, interned. */
typedef struct Place {
    const Run *run;
    const char *series, *x; /* x: "" if it has none there */
} Place;

/* What runs are cut by, and the groups so far. */
typedef struct Cut {
    const Experiment *e;
    const char *by, *x, *facet; /* x: NULL over steps */
    Values axes;                /* of the part that is being cut */
    Group *list;
    int count, room;
} Cut;

static bool
lies_along(const Cut *c, const char *name)
{
    return index_in(c->by, name) >= 0 || (c->x && !strcmp(c->x, name));
}

/* May it tell groups apart? Along a result, sizes may not: they lead there. */
static bool
may_part(const Cut *c, const char *name)
{
    const Setting *s = setting_named(name);
    bool size =
        s && (s->role == OF_SHAPE || index_in("d-model layers", name) >= 0);
    if (index_in("task seed file log", name) >= 0 || lies_along(c, name))
        return false;
    if (c->facet && !strcmp(c->facet, name))
        return true;
    return s && !(size && c->x && !is_axis(c->x)) &&
           (!strcmp(name, "file-hash") || experiment_asks(c->e, name));
}

static int
in_order(const void *a, const void *b)
{
    const Place *s = a, *t = b;
    int p = s->run->config.seed, q = t->run->config.seed;
    int order = series_order(s->series, t->series);
    order = order ? order : series_order(s->x, t->x);
    order = order ? order : (p > q) - (p < q);
    return order ? order : (s->run > t->run) - (s->run < t->run);
}

/* All runs where they are, series by series. */
static Place *
places_of(const Cut *c)
{
    Place *all = allocate((size_t)c->e->count + 1, sizeof *all);
    for (int i = 0; i < c->e->count; i++) {
        const Run *r = &c->e->runs[i];
        const char *x = c->x ? run_value(r, c->x) : NULL;
        Values parts = values_cut(c->by);
        for (int k = 0; k < parts.count; k++) {
            const char *value = run_value(r, parts.text[k]);
            replace(&parts.text[k], copy_text(value ? value : "none"));
        }
        char *series = joined(&parts, ",");
        all[i] = (Place){r, interned(series), x ? x : ""};
        values_free(&parts);
        free(series);
    }
    qsort(all, (size_t)c->e->count, sizeof *all, in_order);
    return all;
}

/* Is it the same run as another one of its place? What is logged changes
   nothing in a run. Exits if the two differ in more than their seeds. */
static bool
is_twice(const Run *a, const Run *b)
{
    const char *name =
        differ_in(&a->config, &b->config, "seed log plugin-hash");
    if (name)
        fail("%s and %s differ in %s, which no command asked for that is "
             "recorded in their experiment.tsv, so they are not averaged: "
             "--where %s=VALUE takes those of one kind",
             a->path, b->path, name, name);
    return a->config.seed == b->config.seed;
}

/* Adds a group of these runs. */
static void
add_group(Cut *c, const Place *runs, int count)
{
    bool once = !c->x || is_axis(c->x); /* is a run at a place */
    Group g = {.runs = allocate((size_t)count, sizeof *g.runs),
               .series = allocate((size_t)count, sizeof *g.series)};
    for (int i = 0; i < count; i++) {
        const Place *p = &runs[i], *last = i ? p - 1 : NULL;
        bool more = last && last->series == p->series;
        if (more && once && !strcmp(last->x, p->x) &&
            is_twice(last->run, p->run))
            continue;
        if (!more)
            g.series[g.series_count++] =
                (Series){p->series, g.runs + g.count, 0};
        g.series[g.series_count - 1].count++;
        g.runs[g.count++] = p->run;
    }
    for (int i = 0; i < c->axes.count; i++)
        values_add(&g.axes, copy_text(c->axes.text[i]));
    g.name = group_text(&g, "", false);
    c->list = grow(c->list, c->count, &c->room, sizeof *c->list);
    c->list[c->count++] = g;
}

/* Cuts these runs by the experiment that they are in, number 0, and by every
   setting from that number on in which they differ. */
static void
cut(Cut *c, const Place *runs, int count, int number)
{
    if (number > setting_count) {
        add_group(c, runs, count);
        return;
    }
    const char *name = number ? settings[number - 1].name : "experiment";
    Place *same = allocate((size_t)count, sizeof *same);
    Values values = {0};
    for (int i = 0; i < count && may_part(c, name); i++)
        if (run_value(runs[i].run, name))
            values_add(&values, copy_text(run_value(runs[i].run, name)));
    series_sort(&values);
    if (values.count < 2)
        cut(c, runs, count, number + 1);
    else
        values_add(&c->axes, copy_text(name));
    for (int k = 0; values.count > 1 && k < values.count; k++) {
        int n = 0;
        for (int i = 0; i < count; i++) {
            const char *value = run_value(runs[i].run, name);
            if (!value || !strcmp(value, values.text[k]))
                same[n++] = runs[i];
        }
        cut(c, same, n, number + 1);
    }
    if (values.count > 1)
        free(c->axes.text[--c->axes.count]);
    values_free(&values);
    free(same);
}

Group *
groups_of(const Experiment *e, const char *by, const char *x, const char *facet,
          int *groups)
{
    Cut c = {.e = e, .by = by, .x = x, .facet = facet};
    bool whole = lies_along(&c, "task");
    const char *said = experiment_said(e, "task");
    Values tasks = values_cut(said ? said : ""); /* these first */
    Place *all = places_of(&c);
    Place *same = allocate((size_t)e->count + 1, sizeof *same);
    int count = e->count;
    if (!whole)
        values_add(&c.axes, copy_text("task"));
    for (int i = 0; i < e->count; i++)
        values_add(&tasks, copy_text(e->runs[i].config.task));
    for (int i = 0; i < tasks.count; i++) {
        int n = 0, left = 0;
        for (int k = 0; k < count; k++)
            if (whole || !strcmp(all[k].run->config.task, tasks.text[i]))
                same[n++] = all[k];
            else
                all[left++] = all[k];
        count = left;
        if (n)
            cut(&c, same, n, 0);
    }
    values_free(&c.axes);
    values_free(&tasks);
    free(same);
    free(all);
    *groups = c.count;
    return c.list;
}

/* Its value of an axis: that of a run that has one. */
static const char *
value_of(const Group *g, const char *axis)
{
    const char *value = NULL;
    for (int i = 0; i < g->count && !value; i++)
        value = run_value(g->runs[i], axis);
    return value;
}

char *
group_text(const Group *g, const char *without, bool in_words)
{
    char *text = copy_text("");
    for (int i = 0; i < g->axes.count; i++) {
        const char *name = g->axes.text[i];
        bool task = !strcmp(name, "task");
        char *axis = in_words ? axis_title(name, NULL) : copy_text(name);
        if (strcmp(name, without))
            replace(&text,
                    format_text("%s%s%s%s%.80s", text,
                                !*text     ? ""
                                : in_words ? ", "
                                           : ".",
                                task ? "" : axis, in_words && !task ? " " : "",
                                value_of(g, name)));
        free(axis);
    }
    return text;
}

const Series *
group_series(const Group *g, const char *name)
{
    for (int i = 0; i < g->series_count; i++)
        if (!strcmp(g->series[i].name, name))
            return &g->series[i];
    return NULL;
}

void
groups_free(Group *g, int groups)
{
    for (int i = 0; i < groups; i++) {
        free(g[i].runs);
        free(g[i].series);
        free(g[i].name);
        values_free(&g[i].axes);
    }
    free(g);
}
