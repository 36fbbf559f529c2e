/* figure.c - what is drawn of an experiment: which groups of runs, and which
   of their quantities, are side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "study/figure.h"
#include "study/panel.h"
#include "study/quantity.h"
#include "heart/fail.h"

/* "learning rate 0.01", or what is named by itself; to be freed. */
static char *
facet_title(const Group *g, const Drawing *o)
{
    char value[VALUE_SIZE];
    run_setting(g->runs[0], o->facet, value);
    char *name = shown_name(o, value);
    if (index_in("task variant experiment", o->facet) >= 0)
        return name;
    char *axis = axis_title(o->facet, NULL);
    char *title = format_text("%s %s", axis, name);
    free(axis);
    free(name);
    return title;
}

/* Is a panel before another one: in the order in which their facets were asked
   for, or else in that of series? */
static bool
goes_before(const Panel *a, const Panel *b, const char *facet,
            const char *asked)
{
    const char *x = run_asked(a->group->runs[0], axis_named(facet));
    const char *y = run_asked(b->group->runs[0], axis_named(facet));
    int i = x && asked ? index_in(asked, x) : -1;
    int k = y && asked ? index_in(asked, y) : -1;
    if (i != k)
        return k < 0 || (i >= 0 && i < k);
    return i < 0 && x && y && series_before(x, y);
}

/* Is a panel's group before another one's of its task, setting by setting? */
static bool
is_before(const Panel *a, const Panel *b)
{
    for (int s = 0; s < setting_count; s++) {
        const char *x = a->group->key[s], *y = b->group->key[s];
        if (x && y && strcmp(x, y))
            return series_before(x, y);
    }
    return false;
}

/* By their facet, or where that is NULL by what keeps their groups apart. */
static void
sort_panels(Panel *panels, int count, const char *facet, const char *asked)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0; k--) {
            Panel p = panels[k], *before = &panels[k - 1];
            if (!(facet ? goes_before(&p, before, facet, asked)
                        : is_before(&p, before)))
                break;
            panels[k] = *before;
            *before = p;
        }
}

/* A panel for each group, from the first on, that has its name without the
   facet. */
static void
draw_facets(const Drawing *o, const Experiment *e, const char *y,
            const Group *g, const Values *names, int first)
{
    const char *whose = names->text[first];
    Panel *panels = allocate((size_t)names->count, sizeof *panels);
    int count = 0;
    for (int i = first; i < names->count; i++)
        if (!strcmp(names->text[i], whose))
            panels[count++] =
                (Panel){.group = &g[i], .y = y, .title = facet_title(&g[i], o)};
    sort_panels(panels, count, o->facet, experiment_said(e, o->facet));
    char *name = format_text("%s-%s-by-%s%s%s", y, o->x, o->facet,
                             *whose ? "-" : "", whose);
    char *title =
        *whose ? group_title(&g[first], o->facet) : axis_title(y, NULL);
    draw_figures(o, e, name, title, panels, count);
    for (int i = 0; i < count; i++)
        free(panels[i].title);
    free(panels);
    free(title);
    free(name);
}

/* A group's quantities: over steps, or where they are the facet, side by side,
   else each by itself. Those that compare draws are called "curves", others for
   what they show, so that none takes another's place. */
static void
draw_group(const Drawing *o, const Experiment *e, const Values *ys,
           const Group *g)
{
    bool training = over_training(g->runs[0], o->x, o->y), bare = o->facet;
    bool together = training || bare;
    bool usual = !strcmp(o->x, "step") &&
                 (!strcmp(o->y, default_y) || !strcmp(o->y, "validation_loss"));
    char *all = joined(ys, "+");
    Panel *panels = allocate((size_t)ys->count, sizeof *panels);
    for (int y = 0; y < ys->count; y++)
        panels[y] =
            (Panel){.group = g, .y = ys->text[y], .title = bare ? NULL : ""};
    for (int y = 0; y < (together ? 1 : ys->count); y++) {
        const char *what = training ? all : bare ? "quantities" : ys->text[y];
        const char *dash = *g->name ? "-" : ""; /* it may be of all tasks */
        char *name = usual
                         ? format_text("curves%s%s", dash, g->name)
                         : format_text("%s-%s%s%s", what, o->x, dash, g->name);
        char *whose =
            *g->name ? group_title(g, "") : axis_title(ys->text[y], NULL);
        draw_figures(o, e, name, whose, panels + y, together ? ys->count : 1);
        free(whose);
        free(name);
    }
    free(panels);
    free(all);
}

/* Small multiples: a figure for each quantity, with a panel for each of these
   groups of a task. */
static void
draw_multiples(const Drawing *o, const Experiment *e, const Values *ys,
               const Group *g, int groups)
{
    const char *task = g->runs[0]->config.task;
    Panel *panels = allocate((size_t)groups, sizeof *panels);
    for (int i = 0; i < groups; i++)
        panels[i] =
            (Panel){.group = &g[i], .title = group_title(&g[i], "task")};
    sort_panels(panels, groups, NULL, NULL);
    for (int y = 0; y < ys->count; y++) {
        char *name = format_text("%s-%s-%s", ys->text[y], o->x, task);
        for (int i = 0; i < groups; i++)
            panels[i].y = ys->text[y];
        char *axis = axis_title(ys->text[y], task_named(task));
        char *whose = format_text("%s, %s", task, axis);
        draw_figures(o, e, name, whose, panels, groups);
        free(whose);
        free(axis);
        free(name);
    }
    for (int i = 0; i < groups; i++)
        free(panels[i].title);
    free(panels);
}

/* How many groups from this one on are of its task. */
static int
groups_of_task(const Group *g, int groups)
{
    int n = 1;
    while (n < groups &&
           !strcmp(g[n].runs[0]->config.task, g->runs[0]->config.task))
        n++;
    return n;
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

void
figures_draw(const Drawing *o, const Experiment *e)
{
    int groups;
    bool training = over_training(e->runs, o->x, o->y);
    bool facets = o->facet && strcmp(o->facet, "quantity");
    Values ys = values_cut(o->y), names = {0};
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
    for (int i = 0; facets && i < groups; i++)
        values_add(&names, group_name(&g[i], o->facet));
    for (int i = 0; o->together && i < groups;) {
        int n = groups_of_task(&g[i], groups - i);
        if (n == 1)
            draw_group(o, e, &ys, &g[i]);
        else
            draw_multiples(o, e, &ys, &g[i], n);
        i += n;
    }
    for (int i = 0; !o->together && i < groups; i++) {
        bool shown = false; /* in a figure that began with another one */
        for (int k = 0; facets && k < i; k++)
            shown |= !strcmp(names.text[k], names.text[i]);
        for (int y = 0; facets && !shown && y < ys.count; y++)
            draw_facets(o, e, ys.text[y], g, &names, i);
        if (!facets)
            draw_group(o, e, &ys, &g[i]);
    }
    values_free(&names);
    values_free(&ys);
    groups_free(g, groups);
}
