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

static const Setting experiment = {.name = "experiment"};

const Setting *
axis_named(const char *name)
{
    return strcmp(name, experiment.name) ? setting_named(name) : &experiment;
}

/* The directory that a run is in. */
static void
print_place(const Run *r, char text[VALUE_SIZE])
{
    int n = (int)(strlen(r->path) - strlen(r->name));
    snprintf(text, VALUE_SIZE, "%.*s", n > 1 ? n - 1 : 1, n ? r->path : ".");
}

void
run_setting(const Run *r, const char *name, char text[VALUE_SIZE])
{
    const Setting *s = axis_named(name);
    if (s == &experiment)
        print_place(r, text);
    else
        setting_print(s, &r->config, text);
    if (s != &experiment && s->kind == LIKENESS) /* without what was found */
        text[strcspn(text, ":")] = 0;
    if (s != &experiment && setting_worded(s) && !*text)
        strcpy(text, "none");
    for (char *c = text; *c; c++) /* gnuplot reads it from a column */
        *c = *c == ' ' || *c == '\'' || *c == '"' ? '_' : *c;
    if (s != &experiment && setting_plugin(s) && strcmp(text, "none"))
        plugin_name(interned(text), text);
}

const char *
run_asked(const Run *r, const Setting *s)
{
    char text[VALUE_SIZE];
    if (s != &experiment && setting_unused(s, &r->config))
        return NULL;
    run_setting(r, s->name, text);
    if (s == &experiment || !setting_matched(s, &r->config))
        return interned(text);
    Likeness match = likeness_of(r->config.match);
    setting_print(s, &match.as, text);
    return strcmp(text, "0") ? interned(text) : NULL;
}

/* `by` of a run as its series is called, "standard,0.01", interned. */
static const char *
run_series(const Run *r, const char *by)
{
    Values names = values_cut(by), texts = {0};
    for (int i = 0; i < names.count; i++) {
        const Setting *s = axis_named(names.text[i]);
        char value[VALUE_SIZE] = "none";
        if (s == &experiment || !setting_unused(s, &r->config))
            run_setting(r, names.text[i], value);
        values_add(&texts, copy_text(value));
    }
    char *all = joined(&texts, ",");
    const char *kept = interned(all);
    values_free(&names);
    values_free(&texts);
    free(all);
    return kept;
}

/* The order of two values: the baseline, numbers by size, names by letter. */
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

static int
series_order(const void *a, const void *b)
{
    Values x = values_cut(*(char *const *)a), y = values_cut(*(char *const *)b);
    int order = 0;
    for (int i = 0; !order && i < x.count && i < y.count; i++)
        order = value_order(x.text[i], y.text[i]);
    order = order ? order : x.count - y.count;
    values_free(&x);
    values_free(&y);
    return order;
}

bool
series_before(const char *a, const char *b)
{
    return series_order(&a, &b) < 0;
}

void
series_sort(Values *names)
{
    int kept = 0;
    if (names->count)
        qsort(names->text, (size_t)names->count, sizeof *names->text,
              series_order);
    for (int i = 0; i < names->count; i++)
        if (kept && !strcmp(names->text[i], names->text[kept - 1]))
            free(names->text[i]);
        else
            names->text[kept++] = names->text[i];
    names->count = kept;
}

/* Is it one of them? */
static bool
series_among(const Values *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (!strcmp(names->text[i], name))
            return true;
    return false;
}

static bool
is_of(const Run *r, const char *task)
{
    return !task || !strcmp(r->config.task, task);
}

/* What the runs of a task (NULL: all) have of a setting, each value once. */
static Values
values_of(const Experiment *e, const char *task, const Setting *s)
{
    Values v = {0};
    const char *last = NULL;
    for (int i = 0; i < e->count; i++) {
        const char *value =
            is_of(&e->runs[i], task) ? run_asked(&e->runs[i], s) : NULL;
        if (value && value != last) /* most are what the last one was */
            values_add(&v, copy_text(value));
        last = value;
    }
    series_sort(&v);
    return v;
}

Values
values_in(const Experiment *e, const char *setting)
{
    return values_of(e, NULL, axis_named(setting));
}

/* Has the run the value that "lr=0.01" asks for, or no use for the setting? */
static bool
has_value(const Run *r, const Setting *s, const char *wanted)
{
    const char *value = run_asked(r, s);
    return !value || !value_order(value, strchr(wanted, '=') + 1);
}

void
keep_where(Experiment *e, const char *where)
{
    Values wanted = values_cut(where);
    for (int k = 0; k < wanted.count; k++) {
        size_t n = strcspn(wanted.text[k], "=");
        char *name = format_text("%.*s", (int)n, wanted.text[k]);
        const Setting *s = axis_named(name);
        if (!wanted.text[k][n])
            usage("--where %s: give a setting and its value, as in lr=0.01",
                  wanted.text[k]);
        if (!s)
            usage("--where %s: no setting of a run", name);
        Values known = values_in(e, s->name);
        char *there = joined(&known, ", ");
        int kept = 0;
        for (int i = 0; i < e->count; i++) {
            bool keep = false; /* of several values any will do */
            for (int j = 0; j < wanted.count && !keep; j++)
                keep = !strncmp(wanted.text[j], wanted.text[k], n + 1) &&
                       has_value(&e->runs[i], s, wanted.text[j]);
            if (keep)
                e->runs[kept++] = e->runs[i];
            else
                run_free(&e->runs[i]);
        }
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
    const char *by, *x, *facet; /* x: NULL over steps */
    const Setting **axes; /* asked for, and not the same in all these runs */
    int count;
} Cut;

static bool
lies_along(const Cut *c, const char *setting)
{
    return index_in(c->by, setting) >= 0 || (c->x && !strcmp(c->x, setting));
}

bool
task_varies(const Experiment *e, const char *task, const Setting *s)
{
    Values v = values_of(e, task, s);
    bool varies = v.count > 1;
    values_free(&v);
    return varies;
}

/* Has an experiment several values of it? Where a curve is of one of them, what
   each has one value of tells no groups apart. */
static bool
varies_inside(const Experiment *e, const Setting *s)
{
    for (int i = 1; i < e->count; i++) { /* those of one are side by side */
        const char *one = run_asked(&e->runs[i - 1], s);
        const char *other = run_asked(&e->runs[i], s);
        if (one && other && one != other &&
            run_asked(&e->runs[i - 1], &experiment) ==
                run_asked(&e->runs[i], &experiment))
            return true;
    }
    return false;
}

/* May it tell groups apart? Along a result, sizes may not: they lead there. */
static bool
may_part(const Cut *c, const Setting *s)
{
    bool facet = c->facet && axis_named(c->facet) == s;
    bool size = s->role == OF_SHAPE || index_in("d-model layers", s->name) >= 0;
    bool along_result = c->x && !axis_named(c->x);
    return index_in("task seed file log", s->name) < 0 &&
           !lies_along(c, s->name) && (facet || !(size && along_result)) &&
           (s == &experiment ? facet
                             : !strcmp(s->name, "file-hash") ||
                                   experiment_asks(c->e, s->name));
}

static void
find_axes(Cut *c, const char *task)
{
    bool apart = lies_along(c, experiment.name) ||
                 (c->facet && !strcmp(c->facet, experiment.name));
    c->count = 0;
    for (int i = 0; i <= setting_count; i++) {
        const Setting *s = i < setting_count ? &settings[i] : &experiment;
        if (may_part(c, s) && task_varies(c->e, task, s) &&
            (!apart || s == &experiment || varies_inside(c->e, s)))
            c->axes[c->count++] = s;
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
enum { MOST_AXES = 8 };
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
    while (axis < c->count && s.key[axis])
        axis++;
    if (axis == c->count) {
        all->list = grow(all->list, all->count, &all->room, sizeof s);
        all->list[all->count++] = s;
        return;
    }
    Values v = values_of(c->e, task, c->axes[axis]);
    for (int i = 0; i < v.count; i++) {
        s.key[axis] = interned(v.text[i]);
        add_stands(all, c, task, s, axis + 1);
    }
    values_free(&v);
}

static Stands
stands_of(const Cut *c, const char *task)
{
    Stands all = {0};
    const Setting *along = c->x ? axis_named(c->x) : NULL;
    if (c->count > MOST_AXES)
        fail("%d settings vary in these runs, and figures and tables tell %d "
             "apart: give --where to look at some of them",
             c->count, MOST_AXES);
    for (int i = 0; i < c->e->count; i++) {
        const Run *r = &c->e->runs[i];
        Stand s = {.series = run_series(r, c->by), .run = r};
        if (!is_of(r, task))
            continue;
        for (int k = 0; k < c->count; k++)
            s.key[k] = run_asked(r, c->axes[k]);
        s.x = along ? run_asked(r, along) : NULL;
        add_stands(&all, c, task, s, 0);
    }
    return all;
}

/* The order of two interned values; NULL is before all others. */
static int
interned_order(const char *a, const char *b)
{
    return a == b ? 0 : !a ? -1 : !b ? 1 : series_order(&a, &b);
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

/* Is it the same run as the one before it? What is logged changes nothing in a
   run. Exits where two of one place differ in more than their seeds. */
static bool
is_twice(const Stand *last, const Stand *s)
{
    const Run *a = last->run, *b = s->run;
    if (last->series != s->series || last->x != s->x)
        return false;
    for (int i = 0; i < setting_count; i++)
        if (index_in("seed log", settings[i].name) < 0 &&
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
    bool setting_along = !c->x || axis_named(c->x);
    find_axes(c, task);
    Stands all = stands_of(c, task);
    qsort(all.list, (size_t)all.count, sizeof *all.list, in_order);
    for (int i = 0; i < all.count; i++) {
        const Stand *s = &all.list[i], *last = i ? s - 1 : NULL;
        bool apart = !last || memcmp(s->key, last->key, sizeof s->key);
        if (apart) {
            list = grow(list, *groups, &room, sizeof *list);
            list[(*groups)++] = (Group){
                .runs = allocate((size_t)(all.count - i), sizeof(Run *)),
                .key = allocate((size_t)settings_most + 1, sizeof(char *)),
                .tasks = lies_along(c, "task")};
            series_room = 0;
        }
        Group *g = &list[*groups - 1];
        for (int k = 0; apart && k < c->count; k++)
            g->key[c->axes[k] == &experiment ? settings_most
                                             : c->axes[k] - settings] =
                s->key[k];
        if (!apart && setting_along && is_twice(last, s))
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
    for (int s = 0; s < setting_count; s++)
        if (g->key[s] && strcmp(settings[s].name, without))
            replace(&name,
                    format_text("%s%s%s%.*s", name, *name ? "." : "",
                                settings[s].name,
                                settings[s].kind == HASH ? 6 : 80, g->key[s]));
    return name;
}

/* The tasks of the runs, first those that were asked for, as they were. */
static Values
tasks_in(const Experiment *e)
{
    const char *said = experiment_said(e, "task");
    Values asked = values_cut(said ? said : ""), tasks = {0};
    for (int i = 0; i < asked.count + e->count; i++) {
        bool first = i < asked.count;
        const char *task =
            first ? asked.text[i] : e->runs[i - asked.count].config.task;
        bool there = !first;
        for (int k = 0; k < e->count && !there; k++)
            there = is_of(&e->runs[k], task);
        if (there && !series_among(&tasks, task))
            values_add(&tasks, copy_text(task));
    }
    values_free(&asked);
    return tasks;
}

Group *
groups_of(const Experiment *e, const char *by, const char *x, const char *facet,
          int *groups)
{
    Cut c = {
        e, by, x, facet, allocate((size_t)setting_count + 1, sizeof *c.axes),
        0};
    Group *list = NULL;
    Values tasks = tasks_in(e);
    bool all = lies_along(&c, "task");
    *groups = 0;
    for (int i = 0; i < (all ? 1 : tasks.count); i++)
        list = add_task(&c, all ? NULL : tasks.text[i], list, groups);
    for (int g = 0; g < *groups; g++)
        list[g].name = group_name(&list[g], "");
    values_free(&tasks);
    free(c.axes);
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
        free(g[i].key);
        free(g[i].name);
    }
    free(g);
}
