/* curves.c - what is drawn of runs: the points of each curve. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "driver/results/quantity.h"
#include "driver/figure/curves.h"

static int
rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where the runs are along x, each place once. */
static void
find_places(Plot *all)
{
    int count = 0, room = 0;
    for (int p = 0; p < all->panel_count; p++)
        for (int i = 0; i < all->panels[p].group->count; i++) {
            double x = run_place(all->panels[p].group->runs[i], all->o->x);
            all->xs = grow(all->xs, count, &room, sizeof *all->xs);
            if (!isnan(x))
                all->xs[count++] = x;
        }
    qsort(all->xs, (size_t)count, sizeof *all->xs, rising);
    for (int i = 0; i < count; i++)
        if (i == 0 || all->xs[i] != all->xs[i - 1])
            all->xs[all->places++] = all->xs[i];
}

/* Adds the mean over so many seeds; widens the range of its panel. */
static void
add_point(Plot *all, Panel *p, const char *series, double x, Mean y, int seeds)
{
    all->points =
        grow(all->points, all->count, &all->capacity, sizeof *all->points);
    all->points[all->count++] = (Point){p, series, x, y};
    all->least = seeds < all->least ? seeds : all->least;
    all->most = seeds > all->most ? seeds : all->most;
    if (!isfinite(y.mean))
        return;
    double low = all->over_training || !isfinite(y.low) ? y.mean : y.low;
    double high = all->over_training || !isfinite(y.high) ? y.mean : y.high;
    double above = low > 0 ? low : y.mean;
    p->low = fmin(p->low, low);
    p->high = fmax(p->high, high);
    p->positive = above > 0 ? fmin(p->positive, above) : p->positive;
}

/* Row `row` of a column of a log, or the mean over so many steps around it. */
static double
smoothed(const Run *r, const char *column, int row, int steps)
{
    const Table *log = &r->log;
    int col = table_column(log, column), n = 0;
    double middle = table_number(log, row, 0, r->path), sum = 0;
    for (int k = 0; k < log->rows; k++)
        if (k == row ||
            2 * fabs(table_number(log, k, 0, r->path) - middle) <= steps) {
            sum += table_number(log, k, col, r->path);
            n++;
        }
    return sum / n;
}

/* The mean at row `row` of the runs' logs, and how far they were along x; no
   number where one of them ended before. */
static Mean
mean_at(const Drawing *o, const Run *const *runs, int count, int row,
        const char *column, double *along)
{
    double *y = allocate((size_t)count, sizeof *y);
    int there = 0;
    *along = 0;
    for (int i = 0; i < count; i++) {
        const Table *log = &runs[i]->log;
        y[i] = NAN;
        if (row >= log->rows)
            continue;
        y[i] = smoothed(runs[i], column, row, o->smooth);
        *along += run_progress(runs[i], o->x,
                               table_number(log, row, 0, runs[i]->path));
        there++;
    }
    *along /= there;
    Mean m = values_mean(column, y, count);
    free(y);
    return m;
}

static void
add_steps(Plot *all, Panel *p, const char *series, const Run *const *runs,
          int count)
{
    int rows = 0;
    for (int i = 0; i < count; i++) {
        const Run *r = runs[i];
        double end = run_progress(r, all->o->x, r->config.steps);
        rows = r->log.rows > rows ? r->log.rows : rows;
        all->longest = fmax(all->longest, end);
    }
    for (int row = 0; row < rows; row++) {
        double x;
        Mean y = mean_at(all->o, runs, count, row, p->y, &x);
        add_point(all, p, series, x, y, count);
    }
}

/* A variant that does not use x has the same everywhere: a level line. Along a
   result several configurations may share a place: each is a point of its own,
   since only the seeds of one are averaged. */
static void
add_places(Plot *all, Panel *p, const char *series, const Run *const *runs,
           int count)
{
    const Run **here = allocate((size_t)count, sizeof(const Run *));
    double *x = allocate((size_t)count, sizeof *x);
    bool setting = setting_named(all->o->x);
    for (int i = 0; i < count; i++)
        x[i] = run_place(runs[i], all->o->x);
    for (int v = 0; v < all->places; v++) {
        double at = all->xs[v];
        for (int first = 0; first < count; first++) {
            int n = 0;
            if (x[first] != at && !(setting && isnan(x[first])))
                continue;
            for (int i = 0; i < count; i++)
                if ((x[i] == at || (setting && isnan(x[i]))) &&
                    (setting || same_but(runs[first], runs[i], "seed")))
                    here[n++] = runs[i];
            if (here[0] == runs[first]) /* else it is drawn already */
                add_point(all, p, series, at, quantity_mean(here, n, p->y), n);
        }
    }
    free(x);
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
    for (Panel *p = all->panels; p < end; p++) {
        p->low = p->positive = INFINITY;
        p->high = -INFINITY;
        for (int s = 0; s < all->series.count; s++) {
            const char *name = all->series.text[s];
            const Series *found = group_series(p->group, name);
            if (found)
                (all->over_training ? add_steps : add_places)(
                    all, p, name, found->runs, found->count);
        }
    }
}

Plot
curves_of(const Drawing *o, Panel *panels, int count)
{
    Plot all = {.o = o,
                .over_training =
                    over_training(panels[0].group->runs[0], o->x, o->y),
                .panels = panels,
                .panel_count = count,
                .least = INT_MAX};
    if (!all.over_training)
        find_places(&all);
    add_curves(&all);
    return all;
}

void
curves_free(Plot *all)
{
    free(all->xs);
    free(all->points);
    values_free(&all->series);
}
