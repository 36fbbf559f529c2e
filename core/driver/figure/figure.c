/* figure.c - what is drawn of an experiment: which groups of runs, and which
   of their quantities, stand side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "driver/results/quantity.h"
#include "driver/figure/figure.h"
#include "driver/figure/panel.h"

static bool
by_quantity(const Options *o)
{
    return o->facet && !strcmp(o->facet, "quantity");
}

/* One figure for each y, its panels the groups that share all but the facet,
   starting with group `first`. */
static void
draw_facets(const Options *o, const Values *ys, const Group *g, int groups,
            int first)
{
    char *whose = group_name(&g[first], o->facet);
    for (int y = 0; y < ys->count; y++) {
        Panel *panels = allocate((size_t)groups, sizeof *panels);
        int count = 0;
        for (int i = first; i < groups; i++) {
            char value[VALUE_SIZE], *axis = axis_title(o->facet, NULL);
            char *other = group_name(&g[i], o->facet);
            run_setting(g[i].runs[0], o->facet, value);
            if (!strcmp(other, whose))
                panels[count++] =
                    (Panel){.group = &g[i],
                            .y = ys->text[y],
                            .title = strcmp(o->facet, "task")
                                         ? format_text("%s %s", axis, value)
                                         : copy_text(value)};
            free(axis);
            free(other);
        }
        char *y_title = axis_title(ys->text[y], NULL);
        char *name = format_text("%s-%s-by-%s%s%s", ys->text[y], o->x, o->facet,
                                 *whose ? "-" : "", whose);
        draw_figures(o, name, *whose ? whose : y_title, panels, count);
        free(y_title);
        for (int i = 0; i < count; i++)
            free(panels[i].title);
        free(panels);
        free(name);
    }
    free(whose);
}

/* Is an earlier group in the same figure? */
static bool
shown_before(const Group *g, int i, const char *facet)
{
    char *name = group_name(&g[i], facet);
    bool shown = false;
    for (int k = 0; k < i && !shown; k++) {
        char *other = group_name(&g[k], facet);
        shown = !strcmp(name, other);
        free(other);
    }
    free(name);
    return shown;
}

/* What the file of curves is named for: those that compare draws are "curves",
   others bear their quantities, so that none takes another's place. To be
   freed. */
static char *
curves_name(const Options *o, const Values *ys)
{
    if (by_quantity(o) || !strcmp(o->y, default_y) ||
        !strcmp(o->y, "validation_loss"))
        return copy_text("curves");
    char *all = joined(ys, "+"), *name = format_text("%s-step", all);
    free(all);
    return name;
}

/* A group's quantities: over steps, or where they are the facet, side by side,
   else each by itself. */
static void
draw_group(const Options *o, const Values *ys, const Group *g)
{
    bool over_steps = !strcmp(o->x, "step");
    bool together = over_steps || by_quantity(o);
    Panel *panels = allocate((size_t)ys->count, sizeof *panels);
    for (int y = 0; y < ys->count; y++)
        panels[y] = (Panel){
            .group = g, .y = ys->text[y], .title = by_quantity(o) ? NULL : ""};
    for (int y = 0; y < (together ? 1 : ys->count); y++) {
        char *curves = curves_name(o, ys);
        const char *what = together ? "quantities" : ys->text[y];
        char *name = over_steps ? format_text("%s-%s", curves, g->name)
                                : format_text("%s-%s-%s", what, o->x, g->name);
        free(curves);
        draw_figures(o, name, g->name, panels + y, together ? ys->count : 1);
        free(name);
    }
    free(panels);
}

/* Exits where a result along x is another one for each seed: then no two runs
   share a point. */
static void
check_same_place(const Run *runs, int count, const char *x)
{
    for (int i = 1; i < count; i++) {
        double a = run_quantity(&runs[i], x), b = run_quantity(&runs[i - 1], x);
        if (a != b && !(isnan(a) && isnan(b)) &&
            same_but(&runs[i], &runs[i - 1], "seed"))
            usage("--x %s: it differs from seed to seed, so it is no place for "
                  "a mean; draw it with --y",
                  x);
    }
}

/* Exits where a panel would hold runs that differ in what it is named for. */
static void
check_facet(const Group *g, int groups, const char *facet)
{
    const Setting *s = setting_named(facet);
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
figures_draw(const Options *o, const Experiment *e)
{
    int groups;
    bool over_steps = !strcmp(o->x, "step");
    Values ys = values_cut(o->y);
    for (int y = 0; y < ys.count; y++)
        check_quantity(e->runs, e->count, ys.text[y], over_steps);
    if (!over_steps && !setting_named(o->x))
        check_quantity(e->runs, e->count, o->x, false);
    if (!over_steps && !setting_named(o->x))
        check_same_place(e->runs, e->count, o->x);
    Group *g = groups_of(e, o->by, over_steps ? NULL : o->x, &groups);
    if (o->facet && !by_quantity(o))
        check_facet(g, groups, o->facet);
    for (int i = 0; i < groups; i++)
        if (!o->facet || by_quantity(o))
            draw_group(o, &ys, &g[i]);
        else if (!shown_before(g, i, o->facet))
            draw_facets(o, &ys, g, groups, i);
    values_free(&ys);
    groups_free(g, groups);
}
