/* group.c - which runs are averaged, and which stand side by side.

   Only runs that differ in nothing but their seed may be averaged. So runs are
   cut into groups by what their commands asked for: those of one group have the
   same value of every setting that was given, or no use for it. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/find_plugin.h"
#include "study/group.h"
#include "heart/fail.h"

static const Setting experiment = {.name = "experiment"};

const Setting *
axis_named(const char *name)
{
    return strcmp(name, experiment.name) ? setting_named(name) : &experiment;
}

void
run_setting(const Run *r, const char *setting, char text[VALUE_SIZE])
{
    const Setting *s = axis_named(setting);
    if (s == &experiment) {
        int n = (int)(strlen(r->path) - strlen(r->name));
        snprintf(text, VALUE_SIZE, "%.*s", n > 1 ? n - 1 : 1,
                 n ? r->path : ".");
    } else
        setting_asked(s, &r->config, text);
    if (s != &experiment && setting_worded(s) && !*text)
        strcpy(text, "none");
    for (char *c = text; *c; c++) /* gnuplot reads it from a column */
        *c = *c == ' ' || *c == '\'' || *c == '"' ? '_' : *c;
    if (s != &experiment && setting_plugin(s) && strcmp(text, "none")) {
        char path[VALUE_SIZE];
        strcpy(path, text);
        plugin_name(path, text);
    }
}

/* `by` of a run as its series is called, "standard,0.01", interned. */
static const char *
run_series(const Run *r, const char *by)
{
    char value[VALUE_SIZE];
    Values names = values_cut(by), texts = {0};
    for (int i = 0; i < names.count; i++) {
        const Setting *s = setting_named(names.text[i]);
        run_setting(r, names.text[i], value);
        bool none = s && setting_unused(s, &r->config);
        values_add(&texts, copy_text(none ? "none" : value));
    }
    char *all = joined(&texts, ",");
    const char *kept = interned(all);
    values_free(&names);
    values_free(&texts);
    free(all);
    return kept;
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
    snprintf(text, sizeof text, "%d", shaped_value(&match.as, s));
    return strcmp(text, "0") ? interned(text) : NULL;
}

/* The order of two values, the first n and m letters of texts. */
static int
value_order(const char *a, size_t n, const char *b, size_t m)
{
    char *a_end, *b_end;
    double x = strtod(a, &a_end), y = strtod(b, &b_end);
    size_t base = strlen(BASELINE);
    bool a_base = n == base && !memcmp(a, BASELINE, base);
    bool b_base = m == base && !memcmp(b, BASELINE, base);
    bool a_number = n && a_end == a + n, b_number = m && b_end == b + m;
    if (a_base || b_base)
        return b_base - a_base;
    if (a_number != b_number)
        return b_number - a_number;
    if (a_number && x != y)
        return x < y ? -1 : 1;
    char *one = format_text("%.*s", (int)n, a);
    char *other = format_text("%.*s", (int)m, b);
    int order = natural_order(one, other);
    free(one);
    free(other);
    return order;
}

bool
series_before(const char *a, const char *b)
{
    for (;;) {
        size_t n = strcspn(a, ","), m = strcspn(b, ",");
        int order = value_order(a, n, b, m);
        if (order || !a[n] || !b[m])
            return order ? order < 0 : !a[n] && b[m];
        a += n + 1;
        b += m + 1;
    }
}

static int
series_order(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    return series_before(y, x) - series_before(x, y);
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

Values
values_in(const Experiment *e, const char *setting)
{
    Values v = {0};
    const Setting *s = axis_named(setting);
    for (int i = 0; i < e->count; i++) {
        const char *value = run_asked(&e->runs[i], s);
        if (value)
            values_add(&v, copy_text(value));
    }
    series_sort(&v);
    return v;
}

/* A setting that varies in the runs of a task. One that was asked for tells
   groups apart; another one must be the same in all runs that are averaged. */
typedef struct Axis {
    const Setting *setting;
    const char **values; /* run by run, as run_asked says */
    bool asked;
} Axis;

/* What the runs of a task, or of all where by or x is the task, are cut by. */
typedef struct Cut {
    const Experiment *e;
    const char *by, *x, *facet; /* x: NULL over steps */
    Axis *axes;
    int count;
} Cut;

static bool
lies_along(const Cut *c, const char *setting)
{
    return index_in(c->by, setting) >= 0 || (c->x && !strcmp(c->x, setting));
}

/* Has each experiment one value of a setting? Then where a curve is of one of
   them, it tells no groups apart. */
static bool
one_in_each(const Experiment *e, const char *const *values)
{
    const char **names = allocate((size_t)e->count, sizeof *names);
    bool one = true;
    for (int i = 0; i < e->count; i++) {
        names[i] = run_asked(&e->runs[i], &experiment);
        for (int k = 0; one && k < i; k++)
            one = names[k] != names[i] || !values[k] || !values[i] ||
                  values[k] == values[i];
    }
    free(names);
    return one;
}

/* May it tell groups apart? Along a result, sizes may not: they lead there. */
static bool
may_part(const Cut *c, const Setting *s)
{
    bool size = s->role == OF_SHAPE || index_in("d-model layers", s->name) >= 0;
    return index_in("task seed file log", s->name) < 0 &&
           !lies_along(c, s->name) &&
           !(size && c->x && !setting_named(c->x) &&
             !(c->facet && !strcmp(s->name, c->facet)));
}

/* A plugin that was rebuilt parts its own runs, and is beside those of the
   others: leaves no value to the runs of a variant that has but one. */
static void
drop_single(const Experiment *e, const char **values)
{
    const Setting *variant = setting_named("variant");
    const char **names = allocate((size_t)e->count, sizeof *names);
    int *first = allocate((size_t)e->count, sizeof *first); /* of a variant */
    bool *several = allocate((size_t)e->count, sizeof *several);
    for (int i = 0; i < e->count; i++) {
        int k = i - 1;
        names[i] = values[i] ? run_asked(&e->runs[i], variant) : NULL;
        while (k >= 0 && names[k] != names[i])
            k--;
        first[i] = k < 0 ? i : first[k];
        several[first[i]] |= values[i] != values[first[i]];
    }
    for (int i = 0; i < e->count; i++)
        if (!several[first[i]])
            values[i] = NULL;
    free(names);
    free(first);
    free(several);
}

static bool
is_of(const Run *r, const char *task)
{
    return !task || !strcmp(r->config.task, task);
}

/* The values of a setting in the runs of a task (NULL: of all), run by run,
   NULL where a run has none; or NULL if no two of them differ. To be freed. */
static const char **
values_of(const Experiment *e, const char *task, const Setting *s)
{
    const char **values = allocate((size_t)e->count, sizeof *values);
    const char *seen = NULL;
    bool varies = false;
    for (int i = 0; i < e->count; i++)
        if (is_of(&e->runs[i], task))
            values[i] = run_asked(&e->runs[i], s);
    if (s->role == OF_RECORD)
        drop_single(e, values);
    for (int i = 0; i < e->count; i++) {
        varies |= values[i] && seen && values[i] != seen;
        seen = values[i] ? values[i] : seen;
    }
    if (varies)
        return values;
    free(values);
    return NULL;
}

bool
task_varies(const Experiment *e, const char *task, const Setting *s)
{
    const char **values = values_of(e, task, s);
    bool varies = values;
    free(values);
    return varies;
}

static void
find_axes(Cut *c, const char *task)
{
    bool apart = c->facet && axis_named(c->facet) == &experiment;
    bool along = apart || lies_along(c, experiment.name);
    c->count = 0;
    for (const Setting *s = settings; s < settings + setting_count; s++) {
        const char **values = may_part(c, s) ? values_of(c->e, task, s) : NULL;
        bool asked = s->role == OF_RECORD || experiment_asks(c->e, s->name);
        if (values && along && one_in_each(c->e, values)) {
            free(values);
            values = NULL;
        }
        if (values)
            c->axes[c->count++] = (Axis){s, values, asked};
    }
    const char **values = apart ? values_of(c->e, task, &experiment) : NULL;
    if (values)
        c->axes[c->count++] = (Axis){&experiment, values, true};
}

/* Where a group keeps its value of an axis. */
static const char **
key_of(const Group *g, const Setting *s)
{
    return &g->key[s == &experiment ? settings_most : s - settings];
}

/* Does a run fit a group, as far as both have values of the axes? */
static bool
fits(const Cut *c, const Group *g, int run)
{
    bool fits = true;
    for (const Axis *a = c->axes; fits && a < c->axes + c->count; a++) {
        const char *key = *key_of(g, a->setting);
        fits = !key || !a->values[run] || key == a->values[run];
    }
    return fits;
}

static void
add_run(const Cut *c, Group *g, int run)
{
    for (const Axis *a = c->axes; a < c->axes + c->count; a++)
        if (a->asked && a->values[run])
            *key_of(g, a->setting) = a->values[run];
    g->runs = grow(g->runs, g->count, &g->room, sizeof *g->runs);
    g->runs[g->count++] = &c->e->runs[run];
}

/* The groups of one task, or of all. Runs that have a value of every axis make
   them; the others, which are the same whatever it is, join each that they fit.
 */
static Group *
add_task(const Cut *c, const char *task, Group *list, int *groups)
{
    int first = *groups, room = first;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < c->e->count; i++) {
            bool joined = false, all = true;
            for (int k = 0; k < c->count; k++)
                all &= !c->axes[k].asked || c->axes[k].values[i];
            if (!is_of(&c->e->runs[i], task) || all == pass)
                continue;
            for (int g = first; g < *groups; g++)
                if (fits(c, &list[g], i)) {
                    add_run(c, &list[g], i);
                    joined = true;
                }
            if (joined)
                continue;
            list = grow(list, *groups, &room, sizeof *list);
            list[*groups] = (Group){
                .key = allocate((size_t)settings_most + 1, sizeof(char *)),
                .tasks = lies_along(c, "task")};
            add_run(c, &list[(*groups)++], i);
        }
    return list;
}

bool
same_but(const Run *a, const Run *b, const char *but)
{
    for (int s = 0; s < setting_count; s++)
        if (index_in(but, settings[s].name) < 0 &&
            !setting_equal(&settings[s], &a->config, &b->config))
            return false;
    return true;
}

/* A run of a group, and what it is sorted by. */
typedef struct Member {
    const char *series, *x;
    const Run *run;
} Member;

static int
in_order(const void *a, const void *b)
{
    const Member *m = a, *n = b;
    const Config *p = &m->run->config, *q = &n->run->config;
    int order = series_order(&m->series, &n->series);
    order = order ? order : strcmp(m->x, n->x);
    order = order ? order : (p->seed > q->seed) - (p->seed < q->seed);
    return order ? order : (m->run > n->run) - (m->run < n->run);
}

static Member
member_of(const Cut *c, const Run *r)
{
    const Setting *along = c->x ? axis_named(c->x) : NULL;
    const char *x = along ? run_asked(r, along) : NULL;
    return (Member){run_series(r, c->by), x ? x : "", r};
}

/* Exits where two runs would be averaged that no seed tells apart: somebody put
   them there without a command that is recorded. */
static void
check_alike(const Cut *c, const Run *one, const Run *other)
{
    for (const Axis *a = c->axes; a < c->axes + c->count; a++) {
        const char *x = a->values[one - c->e->runs];
        const char *y = a->values[other - c->e->runs];
        if (x && y && x != y)
            fail("%s and %s differ in %s, which no command asked for that is "
                 "recorded in their experiment.tsv; run the command that made "
                 "them again: it trains nothing, and is recorded",
                 one->path, other->path, a->setting->name);
    }
}

/* Sorts the runs of a group into series. What is logged changes nothing in a
   run: of two that differ in it alone one counts. */
static void
cut_series(const Cut *c, Group *g)
{
    int kept = 0, room = 0;
    Member *m = allocate((size_t)g->count, sizeof *m);
    for (int i = 0; i < g->count; i++)
        m[i] = member_of(c, g->runs[i]);
    qsort(m, (size_t)g->count, sizeof *m, in_order);
    for (int i = 0; i < g->count; i++) {
        const Run *r = m[i].run;
        bool first = !kept || m[i].series != m[kept - 1].series, twice = false;
        if (!first && m[i].x == m[kept - 1].x)
            check_alike(c, m[kept - 1].run, r);
        for (int k = kept - 1;
             !twice && k >= 0 && m[k].series == m[i].series &&
             m[k].x == m[i].x && m[k].run->config.seed == r->config.seed;
             k--)
            twice = same_but(m[k].run, r, "log");
        if (twice)
            continue;
        g->series = grow(g->series, g->series_count, &room, sizeof *g->series);
        if (first)
            g->series[g->series_count++] =
                (Series){m[i].series, g->runs + kept, 0};
        g->series[g->series_count - 1].count++;
        g->runs[kept] = r;
        m[kept++] = m[i];
    }
    g->count = kept;
    free(m);
}

char *
group_name(const Group *g, const char *without)
{
    bool task = strcmp(without, "task") && !g->tasks;
    char *name = copy_text(task ? g->runs[0]->config.task : "");
    for (int s = 0; s < setting_count; s++)
        if (g->key[s] && strcmp(settings[s].name, without))
            replace(&name,
                    format_text(
                        "%s%s%s%.*s", name, *name ? "." : "", settings[s].name,
                        settings[s].kind == HASH ? 6 : VALUE_SIZE, g->key[s]));
    return name;
}

/* Less than 0 where a value was asked for before another one. */
static int
manifest_order(const Experiment *e, const char *setting, const char *a,
               const char *b)
{
    const char *said = experiment_said(e, setting);
    int i = said ? index_in(said, a) : -1, k = said ? index_in(said, b) : -1;
    if (i >= 0 && k >= 0)
        return i - k;
    return i >= 0 ? -1 : k >= 0 ? 1 : series_before(b, a) - series_before(a, b);
}

static int
group_order(const Experiment *e, const Group *g, const Group *h)
{
    const char *t = g->runs[0]->config.task, *u = h->runs[0]->config.task;
    const char *tasks = experiment_said(e, "task");
    bool said = tasks && index_in(tasks, t) >= 0 && index_in(tasks, u) >= 0;
    int order = said ? manifest_order(e, "task", t, u) : 0;
    if (strcmp(t, u) && !order)
        return 0; /* as they came */
    for (int s = 0; !order && s < setting_count; s++)
        if (settings[s].role != OF_RECORD && g->key[s] && h->key[s] &&
            g->key[s] != h->key[s])
            order = manifest_order(e, settings[s].name, g->key[s], h->key[s]);
    return order;
}

/* Tasks and values in the order in which they were asked for, or else by size
   or name: not in that of the runs, whose names leave out what is usual. */
static void
sort_groups(const Experiment *e, Group *list, int groups)
{
    for (int i = 1; i < groups; i++)
        for (int k = i; k > 0 && group_order(e, &list[k], &list[k - 1]) < 0;
             k--) {
            Group g = list[k];
            list[k] = list[k - 1];
            list[k - 1] = g;
        }
}

Group *
groups_of(const Experiment *e, const char *by, const char *x, const char *facet,
          int *groups)
{
    Cut c = {
        e, by, x, facet, allocate((size_t)setting_count + 1, sizeof *c.axes),
        0};
    Group *list = NULL;
    *groups = 0;
    for (int i = 0; i < e->count; i++) {
        const char *task =
            lies_along(&c, "task") ? NULL : e->runs[i].config.task;
        int g = 0;
        while (g < *groups && !is_of(list[g].runs[0], task))
            g++;
        if (g < *groups)
            continue;
        find_axes(&c, task);
        list = add_task(&c, task, list, groups);
        for (; g < *groups; g++) {
            cut_series(&c, &list[g]);
            list[g].name = group_name(&list[g], "");
        }
        for (int k = 0; k < c.count; k++)
            free(c.axes[k].values);
    }
    free(c.axes);
    sort_groups(e, list, *groups);
    return list;
}

const Series *
group_series(const Group *g, const char *name)
{
    return bsearch(&name, g->series, (size_t)g->series_count, sizeof *g->series,
                   series_order);
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
