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
        const char *series = run_value(r, c->by);
        all[i] = (Place){r, series ? series : interned("none"), x ? x : ""};
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

static void cut(Cut *c, const Place *runs, int count, int number);

/* What each of the runs has of an axis: interned, or NULL where it has no use
   for it. */
static const char **
own_values(const Place *runs, int count, const char *axis)
{
    const char **own = allocate((size_t)count, sizeof *own);
    for (int i = 0; i < count; i++)
        own[i] = run_value(runs[i].run, axis);
    return own;
}

/* Cuts those of the runs that have this value of the axis, or no use for it. */
static void
cut_part(Cut *c, const Place *runs, int count, const char *const *own,
         const char *axis, const char *value, int number)
{
    Place *same = allocate((size_t)count, sizeof *same);
    int n = 0;
    value = interned(value);
    for (int i = 0; i < count; i++)
        if (!own[i] || own[i] == value)
            same[n++] = runs[i];
    values_add(&c->axes, copy_text(axis));
    values_add(&c->axes, copy_text(value));
    if (n)
        cut(c, same, n, number);
    free(c->axes.text[--c->axes.count]);
    free(c->axes.text[--c->axes.count]);
    free(same);
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
    const char *axis = number ? settings[number - 1].name : "experiment";
    if (!may_part(c, axis)) {
        cut(c, runs, count, number + 1);
        return;
    }
    const char **own = own_values(runs, count, axis);
    Values values = values_of(own, count);
    if (values.count < 2)
        cut(c, runs, count, number + 1);
    for (int k = 0; values.count > 1 && k < values.count; k++)
        cut_part(c, runs, count, own, axis, values.text[k], number + 1);
    values_free(&values);
    free(own);
}

Group *
groups_of(const Experiment *e, const char *by, const char *x, const char *facet,
          int *groups)
{
    Cut c = {.e = e, .by = by, .x = x, .facet = facet};
    const char *said = experiment_said(e, "task");
    Values asked = values_cut(said ? said : ""), all = values_in(e, "task");
    Place *runs = places_of(&c);
    const char **own = own_values(runs, e->count, "task");
    if (lies_along(&c, "task"))
        cut(&c, runs, e->count, 0);
    else {
        for (int i = 0; i < asked.count; i++)
            cut_part(&c, runs, e->count, own, "task", asked.text[i], 0);
        for (int i = 0; i < all.count; i++)
            if (!said || index_in(said, all.text[i]) < 0)
                cut_part(&c, runs, e->count, own, "task", all.text[i], 0);
    }
    free(own);
    values_free(&c.axes);
    values_free(&asked);
    values_free(&all);
    free(runs);
    *groups = c.count;
    return c.list;
}

char *
group_text(const Group *g, const char *without, bool in_words)
{
    char *text = copy_text("");
    for (int i = 0; i < g->axes.count; i += 2) {
        const char *name = g->axes.text[i], *value = g->axes.text[i + 1];
        const char *between = !*text ? "" : in_words ? ", " : ".";
        char *axis = in_words ? axis_title(name, NULL) : copy_text(name);
        if (!strcmp(name, "task") && strcmp(name, without))
            replace(&text, copy_text(value));
        else if (strcmp(name, without))
            replace(&text, format_text("%s%s%s%s%.80s", text, between, axis,
                                       in_words ? " " : "", value));
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
