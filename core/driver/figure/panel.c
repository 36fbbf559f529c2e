/* panel.c - figures of one or more panels: curves of a quantity, over steps or
   against a setting or a result. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "task/task.h"
#include "driver/results/quantity.h"
#include "driver/figure/draw.h"
#include "driver/figure/panel.h"

enum { MOST_CURVES = 7 };

/* What the parts of a figure have in common. */
typedef struct Plot {
    const Options *o;
    bool over_steps;
    Panel *panels;
    int count;
    double *xs; /* the places along x, where these are not steps */
    int places;
    int least, most; /* seeds that a point is the mean of */
    int steps;       /* of the longest run */
} Plot;

/* One of its curves, while its rows are written. */
typedef struct Curve {
    Plot *plot;
    Panel *panel;
    const char *series;
    const Run **runs;
    int count;
    FILE *data; /* NULL: only the range of its panel is wanted */
    int rows;
    double first, last;
} Curve;

/* --- the data */

static int
rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where the runs stand along x, each place once. */
static void
find_places(Plot *all)
{
    int count = 0, room = 0;
    for (int p = 0; p < all->count; p++)
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

/* A row; widens the range of its panel. */
static void
put_point(Curve *c, double x, Mean m, int seeds)
{
    char n[4][32];
    Panel *p = c->panel;
    if (c->data)
        fprintf(c->data, "%d\t%s\t%s\t%s\t%s\t%s\n",
                (int)(p - c->plot->panels) + 1, c->series,
                number_text(x, 10, n[3]), number_text(m.mean, 6, n[0]),
                number_text(m.low, 6, n[1]), number_text(m.high, 6, n[2]));
    c->first = c->rows++ ? c->first : m.mean;
    c->last = m.mean;
    if (seeds < c->plot->least)
        c->plot->least = seeds;
    if (seeds > c->plot->most)
        c->plot->most = seeds;
    if (!isfinite(m.mean))
        return;
    bool bars = !c->plot->over_steps;
    double low = bars && isfinite(m.low) ? m.low : m.mean;
    double high = bars && isfinite(m.high) ? m.high : m.mean;
    double above = low > 0 ? low : m.mean;
    p->low = fmin(p->low, low);
    p->high = fmax(p->high, high);
    p->positive = above > 0 ? fmin(p->positive, above) : p->positive;
    p->below += c->data && m.mean <= 0;
}

/* The mean at row `row` of the runs' logs; no number where one of them ended
   before. */
static Mean
mean_at(const Curve *c, int row)
{
    double *x = allocate((size_t)c->count, sizeof *x);
    for (int i = 0; i < c->count; i++) {
        const Table *log = &c->runs[i]->log;
        x[i] = row < log->rows
                   ? table_number(log, row, table_column(log, c->panel->y),
                                  c->runs[i]->path)
                   : NAN;
    }
    Mean m = bootstrap(x, c->count);
    free(x);
    return m;
}

static void
put_steps(Curve *c)
{
    const Run *longest = c->runs[0];
    for (int i = 0; i < c->count; i++) {
        if (c->runs[i]->log.rows > longest->log.rows)
            longest = c->runs[i];
        if (c->runs[i]->config.steps > c->plot->steps)
            c->plot->steps = c->runs[i]->config.steps;
    }
    for (int row = 0; row < longest->log.rows; row++)
        put_point(c, table_number(&longest->log, row, 0, longest->path),
                  mean_at(c, row), c->count);
}

/* A variant that does not use x has the same everywhere: a level line. */
static void
put_against(Curve *c)
{
    const char *x = c->plot->o->x;
    const Run **here = allocate((size_t)c->count, sizeof(const Run *));
    for (int v = 0; v < c->plot->places; v++) {
        int n = 0;
        for (int i = 0; i < c->count; i++)
            if (!run_has_place(c->runs[i], x) ||
                run_place(c->runs[i], x) == c->plot->xs[v])
                here[n++] = c->runs[i];
        if (n)
            put_point(c, c->plot->xs[v], quantity_mean(here, n, c->panel->y),
                      n);
    }
    free(here);
}

/* A mean; a median that stands at all the steps there were is of seeds that
   needed more. */
static void
short_number(const Panel *p, double x, char text[33])
{
    bool median = quantity_named(p->y)->median;
    text[0] = '>';
    number_text(x, median ? 10 : 3,
                text + (median && x >= p->group->runs[0]->config.steps));
}

/* The rows of some series in a panel, where there is a file for them; where
   each begins and ends, in words, to be freed. */
static char *
put_panel(Plot *all, Panel *p, const Values *series, FILE *data)
{
    const char *by = strcmp(all->o->by, "variant") ? all->o->by : "";
    char *words, first[33], last[33];
    FILE *seen = begin_text(&words);
    int shown = 0;
    p->below = 0;
    for (int s = 0; s < series->count; s++) {
        Curve c = {all, p, series->text[s], .data = data};
        c.runs = series_runs(p->group, all->o->by, c.series, &c.count);
        if (c.count)
            (all->over_steps ? put_steps : put_against)(&c);
        free(c.runs);
        if (!c.rows)
            continue;
        short_number(p, c.first, first);
        short_number(p, c.last, last);
        fprintf(seen, "%s%s%s%s ", shown++ ? ", " : "", by, *by ? " " : "",
                c.series);
        if (strcmp(first, last))
            fprintf(seen, "from %s to ", first);
        fprintf(seen, "%s", last);
    }
    end_text(seen, &words);
    return words;
}

/* --- its words */

/* The title that a figure has unless the user gives one: whose, and what the
   points and bands are. */
static char *
title_of(const Plot *all, const char *whose)
{
    char seeds[32];
    int medians = 0;
    for (int p = 0; p < all->count; p++)
        medians += quantity_named(all->panels[p].y)->median;
    if (all->least < all->most)
        snprintf(seeds, sizeof seeds, "%d to %d", all->least, all->most);
    else
        snprintf(seeds, sizeof seeds, "%d", all->most);
    if (all->o->title)
        return copy_text(all->o->title);
    if (all->most == 1)
        return format_text("%s: one seed", whose);
    if (medians == all->count)
        return format_text("%s: median of %s seeds, from the first to the last",
                           whose, seeds);
    return format_text("%s: mean of %s seeds%s%s", whose, seeds,
                       all->most < INTERVAL_SEEDS ? ", smallest to largest"
                                                  : " and its 95% interval",
                       medians ? "; of steps the median, first to last" : "");
}

/* Is its axis logarithmic: where it was asked for, or powers of ten are
   spanned? */
static bool
is_log(const Panel *p, const Options *o)
{
    return o->log_y ? isfinite(p->positive)
                    : isfinite(p->low) && p->low > 0 && p->high > 30 * p->low &&
                          quantity_named(p->y)->scale == POWERS;
}

/* The quantity of a panel, as its task measures it; to be freed. */
static char *
y_title(const Panel *p)
{
    return axis_title(p->y, task_named(p->group->runs[0]->config.task));
}

/* Writes the data, panel by panel; what is seen in them, in words, to be freed:
   by the panels' titles, else by the label of their axes. */
static char *
put_data(const Figure *f, Plot *all, const Values *series, const Values *titles,
         const Values *labels)
{
    bool hidden = false;
    char *words;
    FILE *seen = begin_text(&words);
    fprintf(f->data, "panel\tseries\t%s\tmean\tlow\thigh\n", all->o->x);
    for (int i = 0; i < all->count; i++) {
        Panel *p = &all->panels[i];
        char *here = put_panel(all, p, series, f->data), *y = y_title(p);
        if (*here)
            fprintf(seen, " %s: %s.",
                    *titles->text[i]   ? titles->text[i]
                    : *labels->text[i] ? labels->text[i]
                                       : y,
                    here);
        hidden |= *here && p->below && is_log(p, all->o);
        free(here);
        free(y);
    }
    if (hidden)
        fprintf(seen, " What is not above 0 is not drawn.");
    if (hidden && !all->o->quiet)
        note("%s: its axis is logarithmic. What is not above 0 is not drawn",
             f->name);
    end_text(seen, &words);
    return words;
}

/* --- its script */

/* A level that all runs of the group share, or NaN. */
static double
shared_level(const Group *g, const char *key)
{
    for (int i = 1; i < g->count; i++)
        if (strcmp(run_text(g->runs[i], key), run_text(g->runs[0], key)))
            return NAN;
    return run_number(g->runs[0], key);
}

/* A line a panel: is its axis logarithmic, is it a share, its range; then each
   level to compare its curves with, and its name. */
static void
put_ranges(FILE *script, const Plot *all)
{
    fprintf(script, "$panels << END\n");
    for (const Panel *p = all->panels; p < all->panels + all->count; p++) {
        const Quantity *y = quantity_named(p->y);
        bool seen = isfinite(p->low), log = is_log(p, all->o);
        fprintf(script, "%d %d %g %g", log,
                seen && p->low >= 0 && y->scale == SHARE,
                log    ? p->positive
                : seen ? p->low
                       : 0,
                seen ? p->high : 0);
        for (const Quantity *q = quantities; q < quantities + quantity_count;
             q++) {
            double level = q->level && q->measure == y->measure
                               ? shared_level(p->group, q->name)
                               : NAN;
            if (!isnan(level))
                fprintf(script, " %.6g %s", level, q->level);
        }
        if (y->median)
            fprintf(script, " %d unsolved", p->group->runs[0]->config.steps);
        fprintf(script, "\n");
    }
    fprintf(script, "END\n");
}

static void
put_places(FILE *script, const Plot *all)
{
    const double *xs = all->xs;
    int n = all->places;
    bool log = all->o->log_x || (n > 1 && xs[0] > 0 && xs[n - 1] >= 8 * xs[0]);
    if (log && n && xs[0] <= 0)
        usage("--log-x: %s is %.10g in a run, which has no place on a "
              "logarithmic axis",
              all->o->x, xs[0]);
    fprintf(script, "xs = '");
    for (int i = 0; i < n; i++)
        fprintf(script, "%s%.10g", i ? " " : "", xs[i]);
    fprintf(script, "'\nticks = %d\nlog_x = %d\nlongest_run = %d\n",
            n <= 10 && (setting_named(all->o->x) || log), log, all->steps);
}

/* How the panels lie, the size that lets them be read, and how high a legend is
   that has to stand below them, since its names would leave them no room. */
static void
put_size(FILE *script, const Plot *all, const Values *series)
{
    bool narrow = all->o->size && !strcmp(all->o->size, "column"), same = true;
    int count = all->count, longest = 0;
    int columns = narrow ? 1 : count <= 3 ? count : count == 4 ? 2 : 3;
    int down = (count + columns - 1) / columns;
    for (int i = 0; i < series->count; i++)
        if ((int)strlen(series->text[i]) > longest)
            longest = (int)strlen(series->text[i]);
    for (int p = 1; p < count; p++)
        same &= !strcmp(all->panels[p].y, all->panels[0].y);
    bool wide = series->count > 1 && longest > (narrow ? 22 : 34);
    int below = wide ? 10 + 19 * series->count : 0;
    fprintf(script,
            "columns = %d\ndown = %d\nbelow = %d\n"
            "if (!exists(\"width\")) width = %d\n"
            "if (!exists(\"height\")) height = %d\n",
            columns, down, below,
            count == 1 ? 660 : 220 + (same ? 300 : 345) * columns,
            100 + 280 * down + below);
}

/* Draws a curve for each of these series. */
static void
draw_panels(Plot *all, const char *name, const char *whose,
            const Values *series)
{
    const Options *o = all->o;
    Values labels = values_cut(o->labels ? o->labels : "");
    Values titles = {0}, ylabels = {0};
    for (const Panel *p = all->panels; p < all->panels + all->count; p++) {
        values_add(&titles, p->title ? copy_text(p->title) : y_title(p));
        values_add(&ylabels, !p->title          ? copy_text("")
                             : labels.count > 1 ? copy_text(labels.text[1])
                                                : y_title(p));
    }
    Figure f = figure_begin(o, name);
    char *seen = put_data(&f, all, series, &titles, &ylabels);
    bool any = false;
    for (int p = 0; p < all->count; p++)
        any |= isfinite(all->panels[p].low);
    if (any) {
        char *title = title_of(all, whose), *x = axis_title(o->x, NULL);
        figure_title(&f, title, seen);
        figure_text(&f, "by", strcmp(o->by, "variant") ? o->by : "");
        figure_text(&f, "xlabel", o->labels ? labels.text[0] : x);
        figure_words(&f, "series", series);
        figure_words(&f, "titles", &titles);
        figure_words(&f, "ylabels", &ylabels);
        put_places(f.script, all);
        put_size(f.script, all, series);
        put_ranges(f.script, all);
        figure_end(&f, "panels");
        free(title);
        free(x);
    } else
        figure_drop(&f, "none of its numbers is finite: its runs diverged, or "
                        "have no such number");
    free(seen);
    values_free(&labels);
    values_free(&titles);
    values_free(&ylabels);
}

/* The series of all panels, in order, each once. */
static Values
all_series(const Panel *panels, int count)
{
    Values all = {0};
    for (int p = 0; p < count; p++)
        for (int s = 0; s < panels[p].group->series.count; s++)
            add_series(&all, panels[p].group->series.text[s]);
    return all;
}

/* Draws several figures, each with the baseline and some of the others, on one
   scale. */
static void
draw_parts(Plot *all, const char *name, const char *whose, const Values *series)
{
    for (int p = 0; p < all->count; p++)
        free(put_panel(all, &all->panels[p], series, NULL));
    int held = !strcmp(series->text[0], BASELINE), each = MOST_CURVES - held;
    int parts = (series->count - held + each - 1) / each;
    for (int part = 0; part < parts; part++) {
        Values some = {0};
        for (int i = 0; i < series->count; i++)
            if (i < held || (i - held) / each == part)
                values_add(&some, series->text[i]);
        char *numbered = format_text("%s-%d", name, part + 1);
        char *title = format_text("%s (%d of %d)", whose, part + 1, parts);
        draw_panels(all, numbered, title, &some);
        free(numbered);
        free(title);
        free(some.text); /* its texts are those of series */
    }
}

void
draw_figures(const Options *o, const char *name, const char *whose,
             Panel *panels, int count)
{
    Plot all = {.o = o,
                .over_steps = !strcmp(o->x, "step"),
                .panels = panels,
                .count = count,
                .least = INT_MAX,
                .steps = 1};
    Values series = all_series(panels, count);
    if (!all.over_steps)
        find_places(&all);
    for (int p = 0; p < count; p++) {
        panels[p].low = panels[p].positive = INFINITY;
        panels[p].high = -INFINITY;
    }
    (series.count > MOST_CURVES ? draw_parts : draw_panels)(&all, name, whose,
                                                            &series);
    free(all.xs);
    values_free(&series);
}
