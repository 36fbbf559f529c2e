/* run_groups.c - divides the runs of an experiment into groups.

   Once the learning rate of each seed has been chosen (choose_rate.h), only
   runs that differ in nothing except their seed may be averaged. So runs are
   divided by the settings that their commands named: the runs of a group have
   the same value of such a setting, or do not use it. A run that does not use a
   setting would be the same at any of its values, so it is in the group of each
   value.
 */
#include <stdlib.h>
#include <string.h>

#include "study/run_groups.h"
#include "study/known_quantities.h"

/* A run that is to be put into groups. Its two texts are interned, so equal
   ones have the same address. */
typedef struct Member {
    const Run *run;
    const char *series; /* its value of `by`, which names its series */
    const char *x; /* its value of the setting x; "" if it has none, or if x is
                      a result or NO_X */
} Member;

/* The division of an experiment's runs into groups. */
typedef struct Division {
    const Experiment *e;
    const char *by, *x; /* the arguments of groups_of */
    bool x_is_result;
    Axis *axes; /* the axes of the runs that are being divided now */
    int axis_count;
    Group *groups; /* the groups found so far */
    int count, capacity;
} Division;

/* Runs are divided by one axis after another. The first one, number TASK, is
   the task, because a group's name begins with it. Axis i + 1 is settings[i].
 */
enum { TASK = 0 };

static const char *
axis_name(int axis)
{
    return axis == TASK ? "task" : settings[axis - 1].name;
}

/* Returns whether a setting makes a model larger. */
static bool
is_size(const char *name)
{
    const Setting *s = setting_named(name);
    return s && (s->role == OF_SHAPE || index_in("d-model layers", name) >= 0);
}

/* Returns whether groups may differ in this axis. */
static bool
may_differ(const Division *d, int axis)
{
    const char *name = axis_name(axis);
    bool is_x = d->x && !strcmp(d->x, name);
    if (is_x || index_in(d->by, name) >= 0) /* shown inside a group */
        return false;
    /* Seeds are averaged, and a rate is chosen. The words of --log change no
       result. Of a text not the path counts, but its hash, file-hash. */
    if (index_in("seed lr log file", name) >= 0)
        return false;
    /* Runs of several sizes stay together: the size is what changes x. */
    if (d->x_is_result && is_size(name))
        return false;
    if (!strcmp(name, "task")) /* it is axis TASK, and one of the settings */
        return axis == TASK;
    return !strcmp(name, "file-hash") || setting_was_given(d->e, name);
}

/* Compares two numbers for qsort: the result is -1, 0 or 1. */
static int
number_order(double a, double b)
{
    return (a > b) - (a < b);
}

/* For qsort: orders members by series, then by x, seed and rate. Runs that are
   equal in all of these keep their order in the experiment's array. */
static int
member_order(const void *a, const void *b)
{
    const Member *one = a, *other = b;
    const Config *config = &one->run->config;
    const Config *other_config = &other->run->config;
    int order = series_order(one->series, other->series);
    if (!order)
        order = series_order(one->x, other->x);
    if (!order)
        order = number_order(config->seed, other_config->seed);
    if (!order)
        order = number_order(config->lr, other_config->lr);
    if (!order)
        order = (one->run > other->run) - (one->run < other->run);
    return order;
}

/* All runs of the experiment as members, sorted by member_order. */
static Member *
sorted_members(const Division *d)
{
    Member *all = allocate((size_t)d->e->count + 1, sizeof *all);
    for (int i = 0; i < d->e->count; i++) {
        const Run *r = &d->e->runs[i];
        const char *series = run_value_text(r, d->by);
        bool x_is_setting = d->x && !d->x_is_result;
        const char *x = x_is_setting ? run_value_text(r, d->x) : NULL;
        all[i] = (Member){r, series ? series : interned("none"),
                          x ? x : interned("")};
    }
    qsort(all, (size_t)d->e->count, sizeof *all, member_order);
    return all;
}

/* a and b are neighbours among the runs that are averaged. Returns whether
   b only repeats a, with the same seed and rate. Fails if the two differ in
   anything except seed, rate and --log. */
static bool
is_repetition_or_exit(const Run *a, const Run *b)
{
    const char *name = differing_setting(&a->config, &b->config, "seed lr log");
    if (name)
        fail("%s and %s cannot be averaged, because they differ in %s; choose "
             "one of its values with --where %s=VALUE",
             a->path, b->path, name, name);
    return a->config.seed == b->config.seed && a->config.lr == b->config.lr;
}

/* A group's name, "reverse.d-k4"; "all-tasks" if the group has no axis. */
static char *
group_name(const Group *g)
{
    Values parts = {0};
    for (const Axis *a = g->axes; a < g->axes + g->axis_count; a++)
        values_add(&parts, !strcmp(a->name, "task")
                               ? copy_text(a->value)
                               : format_text("%s%.80s", a->name, a->value));
    return parts.count ? joined(&parts, ".") : copy_text("all-tasks");
}

/* Makes a group of these sorted members, without repeated runs, and adds it to
   d. */
static void
add_group(Division *d, const Member *members, int count)
{
    Group g = {.runs = allocate((size_t)count, sizeof *g.runs),
               .series = allocate((size_t)count, sizeof *g.series),
               .axes = allocate((size_t)d->axis_count + 1, sizeof *g.axes),
               .axis_count = d->axis_count};
    for (int i = 0; i < count; i++) {
        const Member *m = &members[i], *last = i ? m - 1 : NULL;
        bool same_series = last && last->series == m->series;
        /* Runs of a series with the same x are averaged. If x is a result, each
           run has its own x. */
        bool averaged = same_series && !d->x_is_result && last->x == m->x;
        bool repeats = averaged && is_repetition_or_exit(last->run, m->run);
        if (repeats)
            continue;
        if (!same_series) /* a new one begins, with this run */
            g.series[g.series_count++] =
                (Series){.name = m->series, .runs = g.runs + g.count};
        g.series[g.series_count - 1].count++;
        g.runs[g.count++] = m->run;
    }
    memcpy(g.axes, d->axes, (size_t)d->axis_count * sizeof *g.axes);
    g.name = group_name(&g);
    d->groups = grow(d->groups, d->count, &d->capacity, sizeof *d->groups);
    d->groups[d->count++] = g;
}

/* The different values that the members have on an axis. */
static Values
values_on_axis(const Member *members, int count, const char *name)
{
    Values different = {0};
    for (int i = 0; i < count; i++)
        add_run_value(&different, members[i].run, name);
    series_sort(&different);
    return different;
}

/* Copies to `part` the members that have this value on an axis, and the members
   that have none, which belong to every part. Returns the number of members
   copied. */
static int
select_members(Member *part, const Member *members, int count, const char *name,
               const char *value)
{
    int selected = 0;
    for (int i = 0; i < count; i++) {
        const char *own = run_value_text(members[i].run, name);
        if (!own || !strcmp(own, value))
            part[selected++] = members[i];
    }
    return selected;
}

/* Divides members, which agree on all axes before this one, into groups. If
   they differ on this axis, the members with each value are divided by the
   later axes separately; otherwise all members are divided together. After the
   last axis, the members make a group. */
static void
divide(Division *d, const Member *members, int count, int axis)
{
    if (axis > setting_count) { /* axis setting_count is the last one */
        add_group(d, members, count);
        return;
    }
    const char *name = axis_name(axis);
    Values values = {0};
    if (may_differ(d, axis))
        values = values_on_axis(members, count, name);
    /* A group has its task in its name, even if there is only one task. */
    bool is_only_task = axis == TASK && values.count == 1;
    if (values.count < 2 && !is_only_task) {
        divide(d, members, count, axis + 1);
        return;
    }
    Member *part = allocate((size_t)count, sizeof *part);
    for (int k = 0; k < values.count; k++) {
        const char *value = values.text[k];
        int selected = select_members(part, members, count, name, value);
        d->axes[d->axis_count++] = (Axis){name, interned(value)};
        divide(d, part, selected, axis + 1);
        d->axis_count--;
    }
}

Group *
groups_of(const Experiment *e, const char *by, const char *x, int *groups)
{
    bool x_is_result = x && !is_setting_or_run(x);
    Division d = {.e = e, .by = by, .x = x, .x_is_result = x_is_result};
    d.axes = allocate((size_t)setting_count + 1, sizeof *d.axes);
    if (e->count)
        divide(&d, sorted_members(&d), e->count, TASK);
    *groups = d.count;
    return d.groups;
}

/* A run's level of that name. Its result "steps" would be those before it
   diverged, and the level is those that were asked. */
static double
level_in(const Run *r, const char *name)
{
    return strcmp(name, "steps") ? run_value_number(r, name) : r->config.steps;
}

double
shared_level(const Group *g, const char *name)
{
    double level = level_in(g->runs[0], name);
    for (int i = 1; i < g->count; i++)
        if (level_in(g->runs[i], name) != level)
            return NAN;
    return level;
}

char *
group_words(const Group *g, const char *without)
{
    Values parts = {0};
    for (const Axis *a = g->axes; a < g->axes + g->axis_count; a++) {
        if (!strcmp(a->name, without))
            continue;
        char *title = axis_title(a->name);
        values_add(&parts, !strcmp(a->name, "task")
                               ? copy_text(a->value)
                               : format_text("%s %.80s", title, a->value));
    }
    return joined(&parts, ", ");
}
