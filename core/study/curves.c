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

/* Has x places that are numbers? A map has a row and a column for each value,
   number or word. */
static bool
numbers_along(const Drawing *o)
{
    const Setting *s = axis_named(o->x);
    return !s || (!o->map && (setting_numeric(s) || !strcmp(s->name, "init")));
}

char *
shown_name(const Drawing *o, const char *value)
{
    Values parts = values_cut(value),
           pairs = values_cut(o->rename ? o->rename : "");
    for (int i = 0; i < parts.count; i++)
        for (int k = 0; k < pairs.count; k++) {
            char *sign = strchr(pairs.text[k], '=');
            size_t n = sign ? (size_t)(sign - pairs.text[k]) : 0;
            if (n && strlen(parts.text[i]) == n &&
                !strncmp(parts.text[i], pairs.text[k], n)) {
                replace(&parts.text[i], copy_text(sign + 1));
                break;
            }
        }
    char *name = joined(&parts, ", ");
    values_free(&parts);
    values_free(&pairs);
    return name;
}

/* The place in a list of the first of values "a,b"; past its end if it is not
   there. */
static int
place_in(const char *list, const char *values)
{
    char *first = format_text("%.*s", (int)strcspn(values, ","), values);
    int place = index_in(list, first);
    free(first);
    return place < 0 ? INT_MAX : place;
}

/* Puts names in the order of a list, and those that it lacks behind. */
static void
order_as(Values *names, const char *list)
{
    for (int i = 1; list && i < names->count; i++)
        for (int k = i; k > 0 && place_in(list, names->text[k]) <
                                     place_in(list, names->text[k - 1]);
             k--) {
            char *name = names->text[k];
            names->text[k] = names->text[k - 1];
            names->text[k - 1] = name;
        }
}

/* Where a run is along x. */
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
    if (!numbers_along(all->o)) {
        const Setting *s = axis_named(all->o->x);
        all->words = values_in(e, all->o->x);
        if (!setting_numeric(s))
            order_as(&all->words, all->o->show && series_along(all->o)
                                      ? all->o->show
                                      : experiment_said(e, s->name));
    }
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

/* Adds a point, and widens the range of its panel. */
static void
add_point(Plot *all, Panel *p, const char *series, double x, Mean y, int seed)
{
    all->points =
        grow(all->points, all->count, &all->capacity, sizeof *all->points);
    all->points[all->count++] = (Point){p, series, x, y, seed, 0};
    if (!isfinite(y.mean))
        return;
    bool bare = all->over_training || all->o->map; /* its interval is not */
    double low = bare || !isfinite(y.low) ? y.mean : y.low;
    double high = bare || !isfinite(y.high) ? y.mean : y.high;
    double above = low > 0 ? low : y.mean;
    p->low = fmin(p->low, low);
    p->high = fmax(p->high, high);
    p->positive = above > 0 ? fmin(p->positive, above) : p->positive;
}

/* Adds the point of so many seeds. */
static void
add_mean(Plot *all, Panel *p, const char *series, double x, Mean y, int seeds)
{
    all->least = seeds < all->least ? seeds : all->least;
    all->most = seeds > all->most ? seeds : all->most;
    add_point(all, p, series, x, y, 0);
}

static void
add_seed(Plot *all, Panel *p, const char *series, double x, double y, int seed)
{
    add_point(all, p, series, x, (Mean){y, y, y}, seed);
}

/* Where each seed is drawn, what is drawn of all: the median, between the
   smallest and the largest. */
static Mean
middle_of(double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (isnan(x[i]))
            return (Mean){NAN, NAN, NAN};
    double middle = median(x, n); /* sorts */
    return (Mean){middle, x[0], x[n - 1]};
}

/* Row `row` of a column of a log. */
static double
logged(const Run *r, const char *column, int row)
{
    return table_number(&r->log, row, table_column(&r->log, column), r->path);
}

/* How far a run was along x at row `row` of its log. */
static double
progress_at(const Plot *all, const Run *r, int row)
{
    return run_progress(r, all->o->x, table_number(&r->log, row, 0, r->path));
}

/* The point of row `row` of the runs' logs; no number where one of them ended
   before. */
static void
add_row(Plot *all, Panel *p, const char *series, const Run *const *runs,
        int count, int row)
{
    double *y = allocate((size_t)count, sizeof *y), x = 0;
    int there = 0;
    for (int i = 0; i < count; i++) {
        y[i] = NAN;
        if (row >= runs[i]->log.rows)
            continue;
        y[i] = logged(runs[i], p->y, row);
        x += progress_at(all, runs[i], row);
        there++;
    }
    add_mean(all, p, series, x / there,
             all->each_seed ? middle_of(y, count) : values_mean(p->y, y, count),
             count);
    free(y);
}

static void
add_steps(Plot *all, Panel *p, const char *series, const Run *const *runs,
          int count)
{
    int rows = 0;
    for (int i = 0; i < count; i++) {
        const Run *r = runs[i];
        double end = run_progress(r, all->o->x, run_number(r, "steps"));
        rows = r->log.rows > rows ? r->log.rows : rows;
        all->longest = fmax(all->longest, end);
        for (int row = 0; all->each_seed && row < r->log.rows; row++)
            add_seed(all, p, series, progress_at(all, r, row),
                     logged(r, p->y, row), r->config.seed);
    }
    for (int row = 0; row < rows; row++)
        add_row(all, p, series, runs, count, row);
}

/* The number of a seed; where it never got to the threshold, all its steps. */
static double
number_of(const Run *r, const char *y)
{
    double x = run_quantity(r, y);
    return quantity_named(y)->median && !(x > 0) ? run_number(r, "steps") : x;
}

/* Adds the point of some runs that are at one place. Along a result there are
   points of seeds alone, where these are drawn. */
static void
add_place(Plot *all, Panel *p, const char *series, double x,
          const Run *const *runs, int count)
{
    double *y = allocate((size_t)count, sizeof *y), last = 0;
    int before = all->count;
    for (int i = 0; i < count; i++) {
        y[i] = number_of(runs[i], p->y);
        last = fmax(last, run_number(runs[i], "steps"));
        if (all->each_seed)
            add_seed(all, p, series, x, y[i], runs[i]->config.seed);
    }
    if (!all->each_seed || axis_named(all->o->x))
        add_mean(all, p, series, x,
                 all->each_seed ? middle_of(y, count)
                                : quantity_mean(runs, count, p->y),
                 count);
    for (int i = before; i < all->count; i++)
        all->points[i].last = last;
    free(y);
}

/* Puts the points of seeds, of those from the first on, before the others, so
   that these are a line. */
static void
seeds_first(Point *points, int count)
{
    Point *means = allocate((size_t)count + 1, sizeof *means);
    int kept = 0, others = 0;
    for (int i = 0; i < count; i++)
        if (points[i].seed)
            points[kept++] = points[i];
        else
            means[others++] = points[i];
    memcpy(points + kept, means, (size_t)others * sizeof *means);
    free(means);
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
    bool setting = axis_named(all->o->x);
    int before = all->count;
    for (int i = 0; i < count; i++)
        x[i] = place_of(all, runs[i]);
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
                add_place(all, p, series, at, here, n);
        }
    }
    seeds_first(all->points + before, all->count - before);
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
    order_as(&all->series, all->o->show);
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

/* Panels of one quantity have one range. */
static void
share_ranges(Plot *all)
{
    Panel *end = all->panels + all->panel_count;
    for (Panel *p = all->panels; p < end; p++)
        for (Panel *q = all->panels; q < end; q++)
            if (!strcmp(p->y, q->y)) {
                p->low = q->low = fmin(p->low, q->low);
                p->high = q->high = fmax(p->high, q->high);
                p->positive = q->positive = fmin(p->positive, q->positive);
            }
}

/* An axis is logarithmic where that was asked for, or powers of ten are
   spanned. */
static void
share_axes(Plot *all)
{
    const Drawing *o = all->o;
    Panel *end = all->panels + all->panel_count;
    share_ranges(all);
    for (Panel *p = all->panels; p < end; p++)
        p->log = o->log_y ? isfinite(p->positive)
                          : isfinite(p->low) && p->low > 0 &&
                                p->high > 30 * p->low && !(all->ylim[0] <= 0) &&
                                quantity_named(p->y)->scale == POWERS;
    int n = all->places;
    all->log_x =
        o->log_x || (n > 1 && !all->words.count && all->xs[0] > 0 &&
                     all->xs[n - 1] >= 8 * all->xs[0] && !(all->xlim[0] <= 0));
}

/* On a logarithmic axis an interval by Student's t is that of the logarithm, of
   which the standard error is that of the mean, relative to it (the delta
   method): as many times above the mean as below, and above 0. */
static void
take_logarithms(Plot *all)
{
    for (Point *t = all->points; t < all->points + all->count; t++) {
        Panel *p = all->panels + (t->panel - all->panels);
        const Quantity *q = quantity_named(p->y);
        double mean = t->y.mean;
        if (!p->log || q->median || q->counted || !(mean > 0))
            continue;
        double aside = fmax(mean - t->y.low, t->y.high - mean) / mean;
        t->y.low = mean * exp(-aside);
        t->y.high = mean * exp(aside);
        if (q->scale == SHARE)
            t->y.high = fmin(t->y.high, 1);
        all->relative |= aside > 0;
        if (all->over_training)
            continue;
        p->positive = fmin(p->positive, t->y.low);
        p->high = fmax(p->high, t->y.high);
    }
    share_ranges(all);
}

/* Did some seeds of a curve solve the task at a place where others stayed a
   tenth or more below? Their mean is what none of them came to. */
static bool
falls_apart(const Plot *all, const Series *s)
{
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->count; k++) {
            const Run *a = s->runs[i], *b = s->runs[k];
            double x = place_of(all, a), y = place_of(all, b);
            if ((x == y || (isnan(x) && isnan(y))) &&
                run_quantity(a, "solved") > run_quantity(b, "solved") &&
                run_number(a, "test_accuracy") -
                        run_number(b, "test_accuracy") >=
                    0.1)
                return true;
        }
    return false;
}

/* Is each seed drawn: where that was asked for, or a mean would be of seeds
   that fall apart? */
static bool
draws_seeds(const Plot *all)
{
    const Drawing *o = all->o;
    bool apart = false;
    if (o->spread || o->map || all->over_training || !axis_named(o->x))
        return o->spread && !strcmp(o->spread, "seeds");
    for (const Panel *p = all->panels; p < all->panels + all->panel_count; p++)
        for (int s = 0; s < p->group->series_count; s++)
            apart |= quantity_named(p->y)->measure != OTHER &&
                     falls_apart(all, &p->group->series[s]);
    return apart;
}

/* Reads "LOW,HIGH"; exits (2) where that are no limits. */
static void
read_limits(const char *option, const char *text, double limits[2])
{
    char *comma = "", *end = "";
    limits[0] = limits[1] = NAN;
    if (!text)
        return;
    limits[0] = strtod(text, &comma);
    if (comma > text && *comma == ',')
        limits[1] = strtod(comma + 1, &end);
    if (!isfinite(limits[0]) || !isfinite(limits[1]) || end == comma + 1 ||
        *end)
        usage("--%s \"%s\": give two numbers with a comma between, as in 0,1",
              option, text);
    if (!(limits[0] < limits[1]))
        usage("--%s %s: the lower limit is first, and they differ", option,
              text);
}

/* Exits (2) where axes that are asked for cannot be drawn. */
static void
check_axes(const Plot *all)
{
    const Drawing *o = all->o;
    if (all->words.count && (o->log_x || o->xlim))
        usage("--%s: there are words along %s, and no numbers",
              o->log_x ? "log-x" : "xlim", o->x);
    if (o->log_x && all->places && all->xs[0] <= 0)
        usage("--log-x: %s is %.10g in a run, which has no place on a "
              "logarithmic axis",
              o->x, all->xs[0]);
    if (o->log_x && all->xlim[0] <= 0)
        usage("--xlim %s: a logarithmic axis begins above 0", o->xlim);
    if (o->log_y && all->ylim[0] <= 0)
        usage("--ylim %s: a logarithmic axis begins above 0", o->ylim);
    for (int p = 1; o->ylim && p < all->panel_count; p++)
        if (strcmp(all->panels[p].y, all->panels[0].y))
            usage("--ylim: %s and %s have no common limits; give one --y",
                  all->panels[0].y, all->panels[p].y);
}

Plot
curves_of(const Drawing *o, const Experiment *e, Panel *panels, int count)
{
    Plot all = {.o = o,
                .over_training =
                    over_training(panels[0].group->runs[0], o->x, o->y),
                .panels = panels,
                .panel_count = count,
                .least = INT_MAX};
    read_limits("xlim", o->xlim, all.xlim);
    read_limits("ylim", o->ylim, all.ylim);
    if (!all.over_training)
        find_places(&all, e);
    all.each_seed = draws_seeds(&all);
    add_curves(&all);
    share_axes(&all);
    if (!all.each_seed && !o->map && all.least >= INTERVAL_SEEDS)
        take_logarithms(&all);
    check_axes(&all);
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
