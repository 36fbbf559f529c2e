/* curves.c - what is drawn of runs: the points of each curve. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "study/curves.h"
#include "study/quantity.h"
#include "heart/fail.h"

bool
series_along(const Drawing *o)
{
    return !strcmp(o->x, o->by);
}

int
numbers_in(const Panel *p, const Drawing *o)
{
    const Group *g = p->group;
    bool training = over_training(g->runs[0], o->x, o->y);
    int count = 0;
    for (int i = 0; i < g->count; i++) {
        double x = training ? run_number(g->runs[i], "steps")
                            : run_quantity(g->runs[i], p->y);
        bool some = training || quantity_named(p->y)->median;
        count += isfinite(x) && (x > 0 || !some);
    }
    return count;
}

/* Has x places that are numbers? A map has a row and a column for each value,
   number or word. */
static bool
numbers_along(const Drawing *o)
{
    const Setting *s = axis_named(o->x);
    return !s || (!o->map && (setting_numeric(s) || !strcmp(s->name, "init")));
}

/* Where a run is along x; NaN where it has no use for the setting. */
static double
place_of(const Plot *all, const Run *r)
{
    if (!all->words.count)
        return run_place(r, all->o->x);
    const char *value = run_asked(r, axis_named(all->o->x));
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

static void
add_point(Plot *all, Point p)
{
    all->points =
        grow(all->points, all->count, &all->capacity, sizeof *all->points);
    all->points[all->count++] = p;
}

/* Adds the point of these runs' numbers y: all of them by their mean, or, where
   each seed is drawn, by the median between the smallest and the largest. */
static void
add_middle(Plot *all, Point p, double *y, int count, Mean mean)
{
    bool whole = true;
    for (int i = 0; i < count; i++)
        whole &= !isnan(y[i]);
    if (all->each_seed) {
        double middle = whole ? median(y, count) : NAN; /* sorts */
        mean = (Mean){middle, whole ? y[0] : NAN, whole ? y[count - 1] : NAN};
    }
    p.y = mean;
    all->least = count < all->least ? count : all->least;
    all->most = count > all->most ? count : all->most;
    add_point(all, p);
}

static void
add_seed(Plot *all, Point p, double y, const Run *r)
{
    p.y = (Mean){y, y, y};
    p.seed = r->config.seed;
    add_point(all, p);
}

/* How far a run was along x at row `row` of its log. */
static double
progress_at(const Plot *all, const Run *r, int row)
{
    return run_progress(r, all->o->x, table_number(&r->log, row, 0, r->path));
}

/* Row `row` of the quantity in its log; no number behind its end. */
static double
logged(const Run *r, const char *y, int row)
{
    return row < r->log.rows
               ? table_number(&r->log, row, table_column(&r->log, y), r->path)
               : NAN;
}

/* A curve over training: a point for each row of the logs. It ends where one of
   its seeds ended. */
static void
add_steps(Plot *all, Point p, const Series *s)
{
    const char *quantity = p.panel->y;
    double *y = allocate((size_t)s->count, sizeof *y);
    int rows = 0;
    for (int i = 0; i < s->count; i++) {
        const Run *r = s->runs[i];
        double end = run_progress(r, all->o->x, run_number(r, "steps"));
        rows = r->log.rows > rows ? r->log.rows : rows;
        all->longest = fmax(all->longest, end);
        for (int row = 0; all->each_seed && row < r->log.rows; row++) {
            p.x = progress_at(all, r, row);
            add_seed(all, p, logged(r, quantity, row), r);
        }
    }
    for (int row = 0; row < rows; row++) {
        double sum = 0;
        int there = 0;
        for (int i = 0; i < s->count; i++) {
            y[i] = logged(s->runs[i], quantity, row);
            if (row < s->runs[i]->log.rows) {
                sum += progress_at(all, s->runs[i], row);
                there++;
            }
        }
        p.x = sum / there;
        add_middle(all, p, y, s->count, values_mean(quantity, y, s->count));
    }
    free(y);
}

/* The points of some runs that are at one place: of all, or of each seed. One
   that never got to the threshold has all its steps. */
static void
add_place(Plot *all, Point p, const Run *const *runs, int count, bool seeds)
{
    const char *quantity = p.panel->y;
    double *y = allocate((size_t)count, sizeof *y);
    for (int i = 0; i < count; i++) {
        y[i] = run_quantity(runs[i], quantity);
        if (quantity_named(quantity)->median && !(y[i] > 0))
            y[i] = run_number(runs[i], "steps");
        if (seeds)
            add_seed(all, p, y[i], runs[i]);
    }
    if (!seeds)
        add_middle(all, p, y, count, quantity_mean(runs, count, quantity));
    free(y);
}

/* A curve against a setting or a result. A variant that does not use the
   setting has the same everywhere: a level line. Along a result several
   configurations may share a place: each is a point of its own, since only the
   seeds of one are averaged. */
static void
add_places(Plot *all, Point p, const Series *s, bool seeds)
{
    const Run **here = allocate((size_t)s->count, sizeof(const Run *));
    bool setting = axis_named(all->o->x);
    for (int v = 0; v < all->places; v++)
        for (int first = 0; first < s->count; first++) {
            int n = 0;
            p.x = all->xs[v];
            for (int i = 0; i < s->count; i++) {
                double x = place_of(all, s->runs[i]);
                bool there = x == p.x || (setting && isnan(x));
                if (there &&
                    (setting || same_but(s->runs[first], s->runs[i], "seed")))
                    here[n++] = s->runs[i];
            }
            if (n && here[0] == s->runs[first]) /* else they are drawn */
                add_place(all, p, here, n, seeds);
        }
    free(here);
}

/* The series of all panels, in order, and the points of each in each. Where
   seeds are drawn, they are before the line through their medians; along a
   result there is none. */
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
            if (found && all->over_training)
                add_steps(all, point, found);
            else if (found && all->each_seed)
                add_places(all, point, found, true);
            if (found && !all->over_training &&
                (!all->each_seed || axis_named(all->o->x)))
                add_places(all, point, found, false);
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
    if (o->log_x && all->words.count)
        usage("--log-x: there are words along %s, and no numbers", o->x);
    if (o->log_x && n && all->xs[0] <= 0)
        usage("--log-x: %s is %.10g in a run, which has no place on a "
              "logarithmic axis",
              o->x, all->xs[0]);
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
                .over_training =
                    over_training(panels[0].group->runs[0], o->x, o->y),
                .each_seed = o->spread && !strcmp(o->spread, "seeds"),
                .panels = panels,
                .panel_count = count,
                .least = INT_MAX};
    if (!all.over_training)
        find_places(&all, e);
    add_curves(&all);
    find_axes(&all);
    if (!all.each_seed && !o->map && all.least >= INTERVAL_SEEDS)
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
