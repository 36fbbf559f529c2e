/* group.c - which runs are averaged, and which stand side by side.

   Only runs that differ in nothing but their seed may be averaged. So runs are
   cut into groups by what their commands asked for: those of one group have the
   same value of every setting that was given, or no use for it. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/find_plugin.h"
#include "heart/fail.h"
#include "study/group.h"

static const char experiment[] = "experiment";

bool
is_axis(const char *name)
{
    return !strcmp(name, experiment) || setting_named(name);
}

const char *
run_value(const Run *r, const char *name)
{
    char text[VALUE_SIZE];
    const Setting *s = setting_named(name);
    if (!strcmp(name, experiment)) {
        int n = (int)(strlen(r->path) - strlen(r->name));
        snprintf(text, sizeof text, "%.*s", n > 1 ? n - 1 : 1,
                 n ? r->path : ".");
    } else if (!s || setting_unused(s, &r->config))
        return NULL;
    else if (setting_matched(s, &r->config)) {
        Likeness match = likeness_of(r->config.match);
        setting_print(s, &match.as, text);
        if (!strcmp(text, "0"))
            return NULL;
    } else
        setting_print(s, &r->config, text);
    if (s && s->kind == LIKENESS) /* without what was found */
        text[strcspn(text, ":")] = 0;
    if (!*text)
        strcpy(text, "none");
    else if (s && setting_plugin(s))
        plugin_name(interned(text), text);
    for (char *c = text; *c; c++) /* gnuplot reads it from a column */
        *c = *c == ' ' || *c == '\'' || *c == '"' ? '_' : *c;
    return interned(text);
}

/* `by` of a run as its series is called, "standard,0.01", interned. */
static const char *
run_series(const Run *r, const char *by)
{
    Values parts = values_cut(by);
    for (int i = 0; i < parts.count; i++) {
        const char *value = run_value(r, parts.text[i]);
        replace(&parts.text[i], copy_text(value ? value : "none"));
    }
    char *all = joined(&parts, ",");
    const char *kept = interned(all);
    values_free(&parts);
    free(all);
    return kept;
}

/* The order of two values without a comma. */
static int
value_order(const char *a, const char *b)
{
    char *a_end, *b_end;
    double x = strtod(a, &a_end), y = strtod(b, &b_end);
    bool a_base = !strcmp(a, BASELINE), b_base = !strcmp(b, BASELINE);
    bool a_number = *a && !*a_end, b_number = *b && !*b_end;
    if (a_base || b_base)
        return b_base - a_base;
    if (a_number != b_number)
        return b_number - a_number;
    if (a_number && x != y)
        return x < y ? -1 : 1;
    return natural_order(a, b);
}

int
series_order(const char *a, const char *b)
{
    Values x = values_cut(a), y = values_cut(b);
    int order = 0;
    for (int i = 0; !order && i < x.count && i < y.count; i++)
        order = value_order(x.text[i], y.text[i]);
    order = order ? order : x.count - y.count;
    values_free(&x);
    values_free(&y);
    return order;
}

static int
in_series_order(const void *a, const void *b)
{
    return series_order(*(char *const *)a, *(char *const *)b);
}

void
series_sort(Values *names)
{
    int kept = 0;
    if (names->count)
        qsort(names->text, (size_t)names->count, sizeof *names->text,
              in_series_order);
    for (int i = 0; i < names->count; i++)
        if (kept && !strcmp(names->text[i], names->text[kept - 1]))
            free(names->text[i]);
        else
            names->text[kept++] = names->text[i];
    names->count = kept;
}

static bool
is_of(const Run *r, const char *task)
{
    return !task || !strcmp(r->config.task, task);
}

/* What the runs of a task (NULL: all) have under a name, each value once. */
static Values
values_of(const Experiment *e, const char *task, const char *name)
{
    Values v = {0};
    const char *last = NULL;
    for (int i = 0; i < e->count; i++) {
        const Run *r = &e->runs[i];
        const char *value = is_of(r, task) ? run_value(r, name) : NULL;
        if (value && value != last) /* most are what the last one was */
            values_add(&v, copy_text(value));
        last = value;
    }
    series_sort(&v);
    return v;
}

Values
values_in(const Experiment *e, const char *name)
{
    return values_of(e, NULL, name);
}

/* Has the run one of the values that "lr=0.01,lr=0.03" asks for under a name,
   or no use for it? */
static bool
has_value(const Run *r, const char *name, const Values *wanted)
{
    const char *value = run_value(r, name);
    size_t n = strlen(name);
    bool has = !value;
    for (int i = 0; i < wanted->count && !has; i++)
        has = !strncmp(wanted->text[i], name, n) && wanted->text[i][n] == '=' &&
              !value_order(value, wanted->text[i] + n + 1);
    return has;
}

void
keep_where(Experiment *e, const char *where)
{
    Values wanted = values_cut(where);
    for (int k = 0; k < wanted.count; k++) {
        size_t n = strcspn(wanted.text[k], "=");
        char *name = format_text("%.*s", (int)n, wanted.text[k]);
        if (!wanted.text[k][n])
            usage("--where %s: give a setting and its value, as in lr=0.01",
                  wanted.text[k]);
        if (!is_axis(name))
            usage("--where %s: no setting of a run", name);
        Values known = values_in(e, name);
        char *there = joined(&known, ", ");
        int kept = 0;
        for (int i = 0; i < e->count; i++)
            if (has_value(&e->runs[i], name, &wanted))
                e->runs[kept++] = e->runs[i];
            else
                run_free(&e->runs[i]);
        e->count = kept;
        if (!kept)
            usage("--where %s: no run has it; there are: %s", wanted.text[k],
                  there);
        free(there);
        free(name);
        values_free(&known);
    }
    values_free(&wanted);
}

/* What the runs of a task, or of all where by or x is the task, are cut by. */
typedef struct Cut {
    const Experiment *e;
    const char *by, *x, *facet;  /* x: NULL over steps */
    const char *axis[MOST_AXES]; /* given to a command, with several values */
    int axes;
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
    bool facet = c->facet && !strcmp(c->facet, name);
    bool size =
        s && (s->role == OF_SHAPE || index_in("d-model layers", name) >= 0);
    return index_in("task seed file log", name) < 0 && !lies_along(c, name) &&
           (facet || !(size && c->x && !is_axis(c->x))) &&
           (!s ? facet
               : !strcmp(name, "file-hash") || experiment_asks(c->e, name));
}

/* Has it several values in the runs of a task? Where curves or panels are of
   experiments, what each of these has one value of tells nothing apart. */
static bool
varies(const Cut *c, const char *task, const char *name)
{
    Values v = values_of(c->e, task, name);
    bool apart = lies_along(c, experiment) ||
                 (c->facet && !strcmp(c->facet, experiment));
    bool several = v.count > 1;
    values_free(&v);
    if (!several || !apart || !strcmp(name, experiment))
        return several;
    for (int i = 1; i < c->e->count; i++) { /* those of one are side by side */
        const Run *r = &c->e->runs[i];
        const char *one = run_value(r - 1, name), *other = run_value(r, name);
        if (one && other && one != other &&
            run_value(r - 1, experiment) == run_value(r, experiment))
            return true;
    }
    return false;
}

static void
find_axes(Cut *c, const char *task)
{
    c->axes = 0;
    for (int i = 0; i <= setting_count; i++) {
        const char *name = i < setting_count ? settings[i].name : experiment;
        if (!may_part(c, name) || !varies(c, task, name))
            continue;
        if (c->axes == MOST_AXES)
            fail("more than %d settings vary in these runs: --where takes some "
                 "of them",
                 MOST_AXES);
        c->axis[c->axes++] = name;
    }
}

bool
same_but(const Config *a, const Config *b, const char *but)
{
    for (int s = 0; s < setting_count; s++)
        if (index_in(but, settings[s].name) < 0 &&
            !setting_equal(&settings[s], a, b))
            return false;
    return true;
}

/* Where a run stands: its values of the axes, its series and place along x. A
   run that has no use for an axis is the same at each of its values, and stands
   at all of them. */
typedef struct Stand {
    const char *key[MOST_AXES], *series, *x;
    const Run *run;
} Stand;

typedef struct Stands {
    Stand *list;
    int count, room;
} Stands;

static void
add_stands(Stands *all, const Cut *c, const char *task, Stand s, int axis)
{
    while (axis < c->axes && s.key[axis])
        axis++;
    if (axis == c->axes) {
        all->list = grow(all->list, all->count, &all->room, sizeof s);
        all->list[all->count++] = s;
        return;
    }
    Values v = values_of(c->e, task, c->axis[axis]);
    for (int i = 0; i < v.count; i++) {
        s.key[axis] = interned(v.text[i]);
        add_stands(all, c, task, s, axis + 1);
    }
    values_free(&v);
}

/* The order of two interned values; NULL is before all others. */
static int
interned_order(const char *a, const char *b)
{
    return a == b ? 0 : !a ? -1 : !b ? 1 : series_order(a, b);
}

static int
in_order(const void *a, const void *b)
{
    const Stand *s = a, *t = b;
    int order = 0, p = s->run->config.seed, q = t->run->config.seed;
    for (int k = 0; !order && k < MOST_AXES; k++)
        order = interned_order(s->key[k], t->key[k]);
    order = order ? order : interned_order(s->series, t->series);
    order = order ? order : interned_order(s->x, t->x);
    order = order ? order : (p > q) - (p < q);
    return order ? order : (s->run > t->run) - (s->run < t->run);
}

/* All runs of a task where they stand, in order. */
static Stands
stands_of(const Cut *c, const char *task)
{
    Stands all = {0};
    for (int i = 0; i < c->e->count; i++) {
        const Run *r = &c->e->runs[i];
        Stand s = {.series = run_series(r, c->by), .run = r};
        for (int k = 0; k < c->axes; k++)
            s.key[k] = run_value(r, c->axis[k]);
        s.x = c->x ? run_value(r, c->x) : NULL;
        if (is_of(r, task))
            add_stands(&all, c, task, s, 0);
    }
    if (all.count)
        qsort(all.list, (size_t)all.count, sizeof *all.list, in_order);
    return all;
}

/* Is it the same run as the one before it? What is logged changes nothing in a
   run. Exits where two of one place differ in more than their seeds. */
static bool
is_twice(const Stand *last, const Stand *s)
{
    const Run *a = last->run, *b = s->run;
    if (last->series != s->series || last->x != s->x)
        return false;
    for (int i = 0; i < setting_count; i++)
        if (index_in("seed log plugin-hash", settings[i].name) < 0 &&
            !setting_equal(&settings[i], &a->config, &b->config))
            fail("%s and %s differ in %s, which no command asked for that is "
                 "recorded in their experiment.tsv, so they are not averaged: "
                 "--where %s=VALUE takes those of one kind",
                 a->path, b->path, settings[i].name, settings[i].name);
    return a->config.seed == b->config.seed;
}

/* The groups of one task, or of all, behind those that are there. */
static Group *
add_task(Cut *c, const char *task, Group *list, int *groups)
{
    int room = *groups, series_room = 0;
    bool once = !c->x || is_axis(c->x); /* is a run at a place */
    find_axes(c, task);
    Stands all = stands_of(c, task);
    for (int i = 0; i < all.count; i++) {
        const Stand *s = &all.list[i], *last = i ? s - 1 : NULL;
        bool apart = !last || memcmp(s->key, last->key, sizeof s->key);
        if (apart) {
            Group g = {.runs = allocate((size_t)(all.count - i), sizeof(Run *)),
                       .axes = c->axes,
                       .tasks = lies_along(c, "task")};
            memcpy(g.axis, c->axis, sizeof g.axis);
            memcpy(g.key, s->key, sizeof g.key);
            list = grow(list, *groups, &room, sizeof *list);
            list[(*groups)++] = g;
            series_room = 0;
        }
        Group *g = &list[*groups - 1];
        if (!apart && once && is_twice(last, s))
            continue;
        if (apart || s->series != last->series) {
            g->series = grow(g->series, g->series_count, &series_room,
                             sizeof *g->series);
            g->series[g->series_count++] =
                (Series){s->series, g->runs + g->count, 0};
        }
        g->series[g->series_count - 1].count++;
        g->runs[g->count++] = s->run;
    }
    free(all.list);
    return list;
}

char *
group_name(const Group *g, const char *without)
{
    bool task = strcmp(without, "task") && !g->tasks;
    char *name = copy_text(task ? g->runs[0]->config.task : "");
    for (int k = 0; k < g->axes; k++)
        if (strcmp(g->axis[k], without))
            replace(&name, format_text("%s%s%s%.80s", name, *name ? "." : "",
                                       g->axis[k], g->key[k]));
    return name;
}

/* The tasks of the runs, first those that were asked for, as they were. */
static Values
tasks_in(const Experiment *e)
{
    const char *said = experiment_said(e, "task");
    Values asked = values_cut(said ? said : ""), known = values_in(e, "task");
    char *there = joined(&known, ","), *taken = copy_text("");
    for (int i = 0; i < e->count; i++)
        values_add(&asked, copy_text(e->runs[i].config.task));
    for (int i = 0; i < asked.count; i++)
        if (index_in(there, asked.text[i]) >= 0 &&
            index_in(taken, asked.text[i]) < 0)
            replace(&taken, format_text("%s%s%s", taken, *taken ? "," : "",
                                        asked.text[i]));
    Values tasks = values_cut(taken);
    values_free(&asked);
    values_free(&known);
    free(there);
    free(taken);
    return tasks;
}

Group *
groups_of(const Experiment *e, const char *by, const char *x, const char *facet,
          int *groups)
{
    Cut c = {.e = e, .by = by, .x = x, .facet = facet};
    Group *list = NULL;
    Values tasks = tasks_in(e);
    bool all = lies_along(&c, "task");
    *groups = 0;
    for (int i = 0; i < (all ? 1 : tasks.count); i++)
        list = add_task(&c, all ? NULL : tasks.text[i], list, groups);
    for (int g = 0; g < *groups; g++)
        list[g].name = group_name(&list[g], "");
    values_free(&tasks);
    return list;
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
    }
    free(g);
}
