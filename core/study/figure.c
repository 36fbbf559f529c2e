/* figure.c - what is drawn of an experiment: which groups of runs, and which
   of their quantities, are side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/tasks.h"
#include "study/figure.h"
#include "study/panel.h"
#include "study/quantity.h"
#include "heart/fail.h"

/* "learning rate 0.01", or what is named by itself; to be freed. */
static char *
facet_title(const Group *g, const char *facet)
{
    char value[VALUE_SIZE];
    run_setting(g->runs[0], facet, value);
    if (index_in("task variant experiment", facet) >= 0)
        return copy_text(value);
    char *axis = axis_title(facet, NULL);
    char *title = format_text("%s %s", axis, value);
    free(axis);
    return title;
}

/* How many groups are of this one's task. */
static int
groups_of_task(const Group *g, const Group *list, int groups)
{
    int n = 0;
    for (int i = 0; i < groups; i++)
        n += !strcmp(list[i].runs[0]->config.task, g->runs[0]->config.task);
    return n;
}

/* Names the figure that a panel is part of, and what keeps the panel apart from
   the others there: the value of the facet; of several groups of a task, what
   that group is of; else its quantity, where quantities are side by side. */
static void
place_panel(Panel *p, const Drawing *o, bool multiples)
{
    const Group *g = p->group;
    const char *task = g->runs[0]->config.task;
    char *y = axis_title(p->y, multiples ? task_named(task) : NULL);
    bool quantities = o->facet && !strcmp(o->facet, "quantity");
    bool training = over_training(g->runs[0], o->x, o->y);
    if (o->facet && !quantities) {
        char *name = group_name(g, o->facet);
        p->figure = format_text("%s-%s-by-%s%s%s", p->y, o->x, o->facet,
                                *name ? "-" : "", name);
        p->runs = *name ? group_title(g, o->facet) : copy_text(y);
        p->title = facet_title(g, o->facet);
        free(name);
    } else if (multiples) {
        p->figure = format_text("%s-%s-%s", p->y, o->x, task);
        p->runs = format_text("%s, %s", task, y);
        p->title = group_title(g, "task");
    } else {
        bool usual =
            training && !strcmp(o->x, "step") &&
            (!strcmp(o->y, default_y) || !strcmp(o->y, "validation_loss"));
        char *all = copy_text(training     ? o->y
                              : quantities ? "quantities"
                                           : p->y);
        for (char *c = all; *c; c++)
            *c = *c == ',' ? '+' : *c;
        const char *dash = *g->name ? "-" : ""; /* it may be of all tasks */
        p->figure = usual ? format_text("curves%s%s", dash, g->name)
                          : format_text("%s-%s%s%s", all, o->x, dash, g->name);
        p->runs = *g->name ? group_title(g, "") : copy_text(y);
        p->title = copy_text("");
        free(all);
    }
    free(y);
}

/* Is a group before another one, setting by setting? */
static bool
is_before(const Group *a, const Group *b)
{
    for (int s = 0; s < setting_count; s++)
        if (a->key[s] && b->key[s] && strcmp(a->key[s], b->key[s]))
            return series_before(a->key[s], b->key[s]);
    return false;
}

static void
sort_groups(Group *g, int groups)
{
    for (int i = 1; i < groups; i++)
        for (int k = i; k > 0 && is_before(&g[k], &g[k - 1]); k--) {
            Group later = g[k - 1];
            g[k - 1] = g[k];
            g[k] = later;
        }
}

/* Exits where a result along x is another one for each seed: then no two runs
   share a point. */
static void
check_same_place(const Experiment *e, const char *x)
{
    for (int i = 1; i < e->count; i++) {
        const Run *a = &e->runs[i], *b = a - 1;
        double p = run_quantity(a, x), q = run_quantity(b, x);
        if (p != q && !(isnan(p) && isnan(q)) && same_but(a, b, "seed"))
            usage("--x %s: it differs from seed to seed, so it is no place for "
                  "a mean; draw it with --y, or each seed: --spread seeds",
                  x);
    }
}

/* Exits where a panel would hold runs that differ in what it is named for. */
static void
check_facet(const Group *g, int groups, const char *facet)
{
    const Setting *s = axis_named(facet);
    for (int i = 0; i < groups; i++)
        for (int k = 1; k < g[i].count; k++) {
            const char *one = run_asked(g[i].runs[0], s);
            const char *other = run_asked(g[i].runs[k], s);
            if (one && other && one != other)
                usage("--facet %s: curves and points are means over it; take "
                      "another one, or draw along it with --x %s",
                      facet, facet);
        }
}

/* Draws the figure of the first of these panels with all that are in it. */
static void
draw_figure(const Drawing *o, const Experiment *e, const Panel *first,
            const Panel *end)
{
    Panel *here = allocate((size_t)(end - first), sizeof *here);
    int count = 0, numbered = 0;
    for (const Panel *p = first; p < end; p++)
        if (!strcmp(p->figure, first->figure)) {
            here[count++] = *p;
            numbered += numbers_in(p, o);
        }
    if (numbered)
        panels_draw(o, e, here, count);
    else if (!o->together)
        note("%s is not drawn: none of its numbers is finite: its runs "
             "diverged, took no step, or never got there; give another --x or "
             "--y, or train on, or at a lower --lr",
             first->figure);
    free(here);
}

void
figures_draw(const Drawing *o, const Experiment *e)
{
    int groups;
    bool training = over_training(e->runs, o->x, o->y);
    bool facets = o->facet && strcmp(o->facet, "quantity");
    Values ys = values_cut(o->y);
    for (int y = 0; y < ys.count; y++)
        check_quantity(e->runs, e->count, ys.text[y], training);
    if (!training && !axis_named(o->x)) {
        check_quantity(e->runs, e->count, o->x, false);
        if (!o->spread || strcmp(o->spread, "seeds"))
            check_same_place(e, o->x);
    }
    Group *g = groups_of(e, o->by, training ? NULL : o->x,
                         facets ? o->facet : NULL, &groups);
    if (facets)
        check_facet(g, groups, o->facet);
    sort_groups(g, groups);
    int count = groups * ys.count;
    Panel *panels = allocate((size_t)count, sizeof *panels);
    for (int i = 0; i < count; i++) {
        panels[i] =
            (Panel){.group = &g[i / ys.count], .y = ys.text[i % ys.count]};
        place_panel(&panels[i], o,
                    o->together &&
                        groups_of_task(panels[i].group, g, groups) > 1);
    }
    for (int i = 0; i < count; i++) {
        bool drawn = false;
        for (int k = 0; k < i; k++)
            drawn |= !strcmp(panels[k].figure, panels[i].figure);
        if (!drawn)
            draw_figure(o, e, &panels[i], panels + count);
    }
    for (int i = 0; i < count; i++) {
        free(panels[i].title);
        free(panels[i].figure);
        free(panels[i].runs);
    }
    free(panels);
    values_free(&ys);
    groups_free(g, groups);
}
