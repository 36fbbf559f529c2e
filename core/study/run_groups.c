/* run_groups.c - which runs are averaged, and which are shown side by side.

   Only runs that differ in nothing but their seed may be averaged, when the
   learning rate of each seed has been chosen (choose_rate.h). So runs are
   divided into groups by the settings that their commands named: the runs of a
   group have the same value of each, or do not use it. A run that does not use
   a setting would be the same at each of its values, so it is in the groups of
   all. */
#include <stdlib.h>
#include <string.h>

#include "study/run_groups.h"
#include "study/known_quantities.h"

/* A run, its series and its value of x. The two texts are interned. */
typedef struct Place {
    const Run *run;
    const char *series, *x; /* x: "" if it has no value or is a result */
} Place;

/* The state of the division into groups. */
typedef struct Cut {
    const Experiment *e;
    const char *by, *x; /* x: NULL for the steps of training */
    Axis *axes;         /* the values that the runs being divided share */
    int axis_count;
    Group *list; /* the groups so far */
    int count, capacity;
} Cut;

/* The name of an axis by which runs are divided: axis 0 is the task, and axes
   1, 2, ... are the settings. */
static const char *
axis_at(int number)
{
    return number ? settings[number - 1].name : "task";
}

/* Is it a setting that makes a model larger? */
static bool
is_size(const char *name)
{
    const Setting *s = setting_named(name);
    return s && (s->role == OF_SHAPE || index_in("d-model layers", name) >= 0);
}

/* May groups differ in this setting? If x is a result, runs of several sizes
   stay in one group, because it is their size that changes the result. */
static bool
may_part(const Cut *c, const char *name)
{
    bool x_is_result = c->x && !is_setting_or_run(c->x);
    if (index_in("seed lr file log", name) >= 0 || index_in(c->by, name) >= 0)
        return false;
    if (c->x && !strcmp(c->x, name))
        return false;
    if (!strcmp(name, "task"))
        return c->axis_count == 0; /* it is axis 0, and also a setting */
    if (!setting_named(name) || (x_is_result && is_size(name)))
        return false;
    return !strcmp(name, "file-hash") || setting_was_given(c->e, name);
}

static int
number_order(double a, double b)
{
    return (a > b) - (a < b);
}

/* Orders places by series, then by x, seed and rate. Runs that agree in all of
   these keep their order. */
static int
in_order(const void *a, const void *b)
{
    const Place *s = a, *t = b;
    const Config *p = &s->run->config, *q = &t->run->config;
    int order = series_order(s->series, t->series);
    if (!order)
        order = series_order(s->x, t->x);
    if (!order)
        order = number_order(p->seed, q->seed);
    if (!order)
        order = number_order(p->lr, q->lr);
    return order ? order : (s->run > t->run) - (s->run < t->run);
}

/* All runs, sorted as Series and Group have them. */
static Place *
places_of(const Cut *c)
{
    Place *all = allocate((size_t)c->e->count + 1, sizeof *all);
    for (int i = 0; i < c->e->count; i++) {
        const Run *r = &c->e->runs[i];
        const char *x =
            c->x && is_setting_or_run(c->x) ? run_value_text(r, c->x) : NULL;
        const char *series = run_value_text(r, c->by);
        all[i] = (Place){r, series ? series : interned("none"), x ? x : ""};
    }
    qsort(all, (size_t)c->e->count, sizeof *all, in_order);
    return all;
}

/* Are two runs that would be averaged the same run, except for what they log?
   Fails if they differ in more than seed and rate. */
static bool
is_repeated(const Run *a, const Run *b)
{
    const char *name = differing_setting(&a->config, &b->config, "seed lr log");
    if (name)
        fail("%s and %s cannot be averaged, since they differ in %s; choose "
             "one of its values with --where %s=VALUE",
             a->path, b->path, name, name);
    return a->config.seed == b->config.seed && a->config.lr == b->config.lr;
}

/* Adds a group of these runs, which are sorted, each of them once. */
static void
add_group(Cut *c, const Place *runs, int count)
{
    bool averaged =
        !c->x || is_setting_or_run(c->x); /* are runs of equal x averaged? */
    Group g = {.runs = allocate((size_t)count, sizeof *g.runs),
               .series = allocate((size_t)count, sizeof *g.series),
               .axes = allocate((size_t)c->axis_count + 1, sizeof *g.axes),
               .axis_count = c->axis_count};
    for (int i = 0; i < count; i++) {
        const Place *p = &runs[i], *last = i ? p - 1 : NULL;
        bool more = last && last->series == p->series;
        if (more && averaged && !strcmp(last->x, p->x) &&
            is_repeated(last->run, p->run))
            continue; /* the same run again */
        if (!more)
            g.series[g.series_count++] =
                (Series){p->series, g.runs + g.count, 0};
        g.series[g.series_count - 1].count++;
        g.runs[g.count++] = p->run;
    }
    for (int i = 0; i < c->axis_count; i++)
        g.axes[i] = c->axes[i];
    g.name = group_text(&g, "", false);
    c->list = grow(c->list, c->count, &c->capacity, sizeof *c->list);
    c->list[c->count++] = g;
}

/* Divides these runs by the axes from `number` on in which they differ, and by
   their task in any case, and adds the groups. A run without a value of an axis
   is put into all parts. */
static void
cut(Cut *c, const Place *runs, int count, int number)
{
    if (!count)
        return;
    while (number <= setting_count && !may_part(c, axis_at(number)))
        number++;
    if (number > setting_count) {
        add_group(c, runs, count);
        return;
    }
    const char *axis = axis_at(number);
    const char **own = allocate((size_t)count, sizeof *own);
    Place *part = allocate((size_t)count, sizeof *part);
    for (int i = 0; i < count; i++)
        own[i] = run_value_text(runs[i].run, axis);
    Values parts = distinct_values(own, count);
    if (parts.count < 2 && strcmp(axis, "task")) {
        cut(c, runs, count, number + 1);
        return;
    }
    for (int k = 0; k < parts.count; k++) {
        int n = 0;
        for (int i = 0; i < count; i++)
            if (!own[i] || !strcmp(own[i], parts.text[k]))
                part[n++] = runs[i];
        c->axes[c->axis_count++] = (Axis){axis, interned(parts.text[k])};
        cut(c, part, n, number + 1);
        c->axis_count--;
    }
}

Group *
groups_of(const Experiment *e, const char *by, const char *x, int *groups)
{
    Cut c = {.e = e, .by = by, .x = x};
    c.axes = allocate((size_t)setting_count + 1, sizeof *c.axes);
    Place *runs = places_of(&c);
    cut(&c, runs, e->count, 0);
    *groups = c.count;
    return c.list;
}

char *
group_text(const Group *g, const char *without, bool in_words)
{
    Values parts = {0};
    for (const Axis *a = g->axes; a < g->axes + g->axis_count; a++) {
        if (!strcmp(a->name, without))
            continue;
        if (!strcmp(a->name, "task"))
            values_add(&parts, copy_text(a->value));
        else if (in_words)
            values_add(
                &parts,
                format_text("%s %.80s", axis_title(a->name, NULL), a->value));
        else
            values_add(&parts, format_text("%s%.80s", a->name, a->value));
    }
    return joined(&parts, in_words ? ", " : ".");
}
