/* curves.c - what is drawn of runs: the points of each curve. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "study/curves.h"
#include "study/quantity.h"

bool
has_numbers(const Panel *p, const Drawing *o)
{
    const Group *g = p->group;
    bool training = !strcmp(o->x, "step"), any = false;
    for (int i = 0; i < g->count && !any; i++)
        any = training ? run_quantity(g->runs[i], "steps") > 0
                       : isfinite(run_quantity(g->runs[i], p->y));
    return any;
}

/* Has x places that are numbers? A map has a row and a column for each value,
   number or word. */
static bool
numbers_along(const Drawing *o)
{
    const Setting *s = setting_named(o->x);
    return !is_axis(o->x) ||
           (s && !o->map && (setting_numeric(s) || !strcmp(s->name, "init")));
}

/* Where a run is along x; NaN where it has no use for the setting. */
static double
place_of(const Plot *all, const Run *r)
{
    if (!all->words.count)
        return run_quantity(r, all->o->x);
    const char *value = run_value(r, all->o->x);
    for (int i = 0; value && i < all->words.count; i++)
        if (!strcmp(all->words.text[i], value))
            return i + 1;
    return NAN;
}

/* Where the runs are along x, each place once. */
static void
find_places(Plot *all, const Experiment *e)
{
    int count = 0, room = 0;
    if (!numbers_along(all->o))
        all->words = values_in(e, all->o->x);
    for (int p = 0; p < all->panel_count; p++)
        for (int i = 0; i < all->panels[p].group->count; i++) {
            double x = place_of(all, all->panels[p].group->runs[i]);
            all->xs = grow(all->xs, count, &room, sizeof *all->xs);
            if (!isnan(x))
                all->xs[count++] = x;
        }
    median(all->xs, count); /* sorts */
    for (int i = 0; i < count; i++)
        if (i == 0 || all->xs[i] != all->xs[i - 1])
            all->xs[all->places++] = all->xs[i];
}

/* Adds the point of so many seeds. */
static void
add_point(Plot *all, Point p, Mean y, int seeds)
{
    p.y = y;
    all->least = seeds < all->least ? seeds : all->least;
    all->most = seeds > all->most ? seeds : all->most;
    all->points =
        grow(all->points, all->count, &all->capacity, sizeof *all->points);
    all->points[all->count++] = p;
}

/* A curve over training: a point for each row of the logs. It ends where one of
   its seeds ended. */
static void
add_steps(Plot *all, Point p, const Series *s)
{
    double *y = allocate((size_t)s->count, sizeof *y);
    int rows = s->runs[0]->log.rows;
    for (int i = 0; i < s->count; i++) {
        all->ends |= s->runs[i]->log.rows != rows;
        rows = s->runs[i]->log.rows < rows ? s->runs[i]->log.rows : rows;
    }
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < s->count; i++) {
            const Run *r = s->runs[i];
            int column = table_column(&r->log, p.panel->y);
            p.x = table_number(&r->log, row, 0, r->path);
            y[i] = table_number(&r->log, row, column, r->path);
            all->ends |= isnan(y[i]);
        }
        add_point(all, p, values_mean(p.panel->y, y, s->count), s->count);
    }
    free(y);
}

/* A curve against a setting or a result. A variant that does not use the
   setting has the same everywhere: a level line. Along a result several
   configurations may share a place: each is a point of its own, since only the
   seeds of one are averaged. */
static void
add_places(Plot *all, Point p, const Series *s)
{
    const Run **here = allocate((size_t)s->count, sizeof(const Run *));
    bool setting = is_axis(all->o->x);
    for (int v = 0; v < all->places; v++)
        for (int first = 0; first < s->count; first++) {
            int n = 0;
            p.x = all->xs[v];
            for (int i = 0; i < s->count; i++) {
                double x = place_of(all, s->runs[i]);
                bool there = x == p.x || (setting && isnan(x));
                if (there &&
                    (setting || !differ_in(&s->runs[first]->config,
                                           &s->runs[i]->config, "seed")))
                    here[n++] = s->runs[i];
            }
            if (n && here[0] == s->runs[first]) /* else they are drawn */
                add_point(all, p, quantity_mean(here, n, p.panel->y), n);
        }
    free(here);
}

/* The series of all panels, in order, and the points of each in each. */
static void
add_curves(Plot *all)
{
    Panel *end = all->panels + all->panel_count;
    for (const Panel *p = all->panels; p < end; p++)
        for (int s = 0; s < p->group->series_count; s++)
            values_add(&all->series, copy_text(p->group->series[s].name));
    series_sort(&all->series);
    for (Panel *p = all->panels; p < end; p++)
        for (int s = 0; s < all->series.count; s++) {
            Point point = {.panel = p, .series = all->series.text[s]};
            const Series *found = group_series(p->group, point.series);
            if (found)
                (all->over_training ? add_steps : add_places)(all, point,
                                                              found);
        }
}

/* What is drawn in each panel, and in all of its quantity: means, and the bars
   around them. */
static void
find_ranges(Plot *all)
{
    Panel *end = all->panels + all->panel_count;
    bool bare = all->over_training || all->o->map; /* have no bars */
    for (Panel *p = all->panels; p < end; p++) {
        p->low = p->positive = INFINITY;
        p->high = -INFINITY;
        for (const Point *t = all->points; t < all->points + all->count; t++) {
            if (strcmp(t->panel->y, p->y) || !isfinite(t->y.mean))
                continue;
            double low = bare || !isfinite(t->y.low) ? t->y.mean : t->y.low;
            double high = bare || !isfinite(t->y.high) ? t->y.mean : t->y.high;
            double above = low > 0 ? low : t->y.mean;
            p->low = fmin(p->low, low);
            p->high = fmax(p->high, high);
            p->positive = above > 0 ? fmin(p->positive, above) : p->positive;
        }
    }
}

/* An axis is logarithmic where that was asked for, or powers of ten are
   spanned. */
static void
find_axes(Plot *all)
{
    const Drawing *o = all->o;
    int n = all->places;
    if (o->log_x && (all->words.count || (n && all->xs[0] <= 0)))
        usage("--log-x: %s is a word or not above 0 in a run, which has no "
              "place on a logarithmic axis",
              o->x);
    find_ranges(all);
    for (Panel *p = all->panels; p < all->panels + all->panel_count; p++)
        p->log = o->log_y ? isfinite(p->positive)
                          : isfinite(p->low) && p->low > 0 &&
                                p->high > 30 * p->low &&
                                quantity_named(p->y)->scale == POWERS;
    all->log_x = o->log_x || (n > 1 && !all->words.count && all->xs[0] > 0 &&
                              all->xs[n - 1] >= 8 * all->xs[0]);
}

/* On a logarithmic axis an interval by Student's t is that of the logarithm, of
   which the standard error is that of the mean, relative to it (the delta
   method): as many times above the mean as below, and above 0. */
static void
take_logarithms(Plot *all)
{
    for (Point *t = all->points; t < all->points + all->count; t++) {
        const Quantity *q = quantity_named(t->panel->y);
        double mean = t->y.mean;
        if (!t->panel->log || q->median || q->counted || !(mean > 0))
            continue;
        double aside = fmax(mean - t->y.low, t->y.high - mean) / mean;
        t->y.low = mean * exp(-aside);
        t->y.high = mean * exp(aside);
        if (q->scale == SHARE)
            t->y.high = fmin(t->y.high, 1);
    }
    find_ranges(all);
}

Plot
curves_of(const Drawing *o, const Experiment *e, Panel *panels, int count)
{
    Plot all = {.o = o,
                .over_training = !strcmp(o->x, "step"),
                .panels = panels,
                .panel_count = count,
                .least = INT_MAX};
    if (!all.over_training)
        find_places(&all, e);
    add_curves(&all);
    find_axes(&all);
    if (!o->map && all.least >= INTERVAL_SEEDS)
        take_logarithms(&all);
    return all;
}

void
curves_free(Plot *all)
{
    free(all->xs);
    free(all->points);
    values_free(&all->words);
    values_free(&all->series);
}
