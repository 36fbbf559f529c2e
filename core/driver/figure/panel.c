/* panel.c - figures of one or more panels: curves of a quantity, over steps or
   against a setting or a result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "driver/cli/escape.h"
#include "driver/results/quantity.h"
#include "driver/figure/draw.h"
#include "driver/figure/panel.h"
#include "driver/figure/panel_script.h"

enum { MOST_CURVES = 7 };

/* A row of the data, if there is a file for it; widens the range of its panel.
   A quote in the name of a series would make a cell of all that follows it. */
static void
put_point(FILE *data, Panel *p, Curve *c, int number, double x, Mean m,
          bool bars)
{
    char n[4][32], *series = escaped(c->series, TSV);
    for (char *at = series; *at; at++)
        *at = *at == '"' ? '\'' : *at;
    if (data)
        fprintf(data, "%d\t%s\t%s\t%s\t%s\t%s\n", number, series,
                number_text(x, 10, n[3]), number_text(m.mean, 6, n[0]),
                number_text(m.low, 6, n[1]), number_text(m.high, 6, n[2]));
    free(series);
    c->first = c->rows++ ? c->first : m.mean;
    c->last = m.mean;
    if (!isfinite(m.mean))
        return;
    double low = bars && isfinite(m.low) ? m.low : m.mean;
    double high = bars && isfinite(m.high) ? m.high : m.mean;
    double above = low > 0 ? low : m.mean;
    p->low = low < p->low ? low : p->low;
    p->high = high > p->high ? high : p->high;
    p->positive = above > 0 && above < p->positive ? above : p->positive;
    p->below += data && m.mean <= 0;
}

/* The mean of a column at row `row` of the runs' logs; no number where one of
   them ended before. */
static Mean
mean_at(const Run *const *runs, int count, int row, const char *column)
{
    double *x = allocate((size_t)count + 1, sizeof *x);
    for (int i = 0; i < count; i++)
        x[i] = row < runs[i]->log.rows
                   ? table_number(&runs[i]->log, row,
                                  table_column(&runs[i]->log, column),
                                  runs[i]->path)
                   : NAN;
    Mean m = bootstrap(x, count);
    free(x);
    return m;
}

static void
put_steps(FILE *data, Panel *p, Curve *c, int number, const char *by)
{
    int count;
    const Run **runs = series_runs(p->group, by, c->series, &count);
    const Run *longest = count ? runs[0] : NULL;
    for (int i = 1; i < count; i++)
        if (runs[i]->log.rows > longest->log.rows)
            longest = runs[i];
    for (int row = 0; longest && row < longest->log.rows; row++)
        put_point(data, p, c, number,
                  table_number(&longest->log, row, 0, longest->path),
                  mean_at(runs, count, row, p->y), false);
    free(runs);
}

/* Adds to rising values one that is new; returns how many there are. */
static int
add_value(double *values, int count, double v)
{
    int k = 0;
    while (k < count && values[k] < v)
        k++;
    if (isnan(v) || (k < count && values[k] == v))
        return count;
    memmove(values + k + 1, values + k, (size_t)(count - k) * sizeof *values);
    values[k] = v;
    return count + 1;
}

/* A variant that does not use x has the same everywhere: a level line. */
static void
put_against(FILE *data, Panel *p, Curve *c, int number, const Options *o,
            const double *xs, int places)
{
    int count;
    const Run **runs = series_runs(p->group, o->by, c->series, &count);
    const Run **here = allocate((size_t)count + 1, sizeof(const Run *));
    for (int v = 0; v < places; v++) {
        int n = 0;
        for (int i = 0; i < count; i++) {
            if (!run_has_place(runs[i], o->x) ||
                run_place(runs[i], o->x) == xs[v])
                here[n++] = runs[i];
        }
        if (n)
            put_point(data, p, c, number, xs[v], quantity_mean(here, n, p->y),
                      true);
    }
    free(runs);
    free(here);
}

/* The places along x, where these are not steps. */
typedef struct Places {
    double *x;
    int count;
} Places;

static Places
places_of(const Options *o, const Panel *panels, int count)
{
    Places all = {0};
    int room = 0;
    for (int p = 0; p < count && strcmp(o->x, "step"); p++)
        for (int i = 0; i < panels[p].group->count; i++) {
            all.x = grow(all.x, all.count, &room, sizeof *all.x);
            all.count = add_value(all.x, all.count,
                                  run_place(panels[p].group->runs[i], o->x));
        }
    return all;
}

/* The rows of all panels, whose ranges become as wide as these need. Returns
   the curves that they make, a panel's after another's; to be freed. */
static Curve *
put_panels(FILE *data, const Options *o, const Values *series, Panel *panels,
           int count, const Places *xs)
{
    Curve *curves = allocate((size_t)(count * series->count), sizeof *curves),
          *c = curves;
    for (int p = 0; p < count; p++) {
        panels[p].below = 0;
        for (int s = 0; s < series->count; s++, c++) {
            *c = (Curve){.panel = &panels[p], .series = series->text[s]};
            if (!strcmp(o->x, "step"))
                put_steps(data, &panels[p], c, p + 1, o->by);
            else
                put_against(data, &panels[p], c, p + 1, o, xs->x, xs->count);
        }
    }
    return curves;
}

/* Draws a curve for each series. */
static void
draw_panels(const Options *o, const char *name, const char *whose,
            const Values *series, Panel *panels, int count, const Places *xs)
{
    bool seen = false;
    Figure f = figure_begin(o, name);
    fprintf(f.data, "panel\tseries\t%s\tmean\tlow\thigh\n", o->x);
    Curve *curves = put_panels(f.data, o, series, panels, count, xs);
    for (int p = 0; p < count; p++)
        seen |= isfinite(panels[p].low);
    if (seen) {
        put_script(&f, o, whose, series, panels, count, curves, xs->x,
                   xs->count);
        figure_end(&f, "panels");
    } else
        figure_drop(&f, "none of its numbers is finite: its runs diverged, or "
                        "have no such number");
    free(curves);
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

/* The first `held` series, and `each` of the others: those of the part. Borrows
   their names. */
static Values
part_of(const Values *series, int held, int each, int part)
{
    Values some = {0};
    for (int i = 0; i < series->count; i++)
        if (i < held || (i - held) / each == part)
            values_add(&some, series->text[i]);
    return some;
}

void
draw_figures(const Options *o, const char *name, const char *whose,
             Panel *panels, int count)
{
    Values series = all_series(panels, count);
    Places xs = places_of(o, panels, count);
    for (int p = 0; p < count; p++) {
        panels[p].low = INFINITY;
        panels[p].high = -INFINITY;
        panels[p].positive = INFINITY;
    }
    if (series.count <= MOST_CURVES)
        draw_panels(o, name, whose, &series, panels, count, &xs);
    else {
        /* first without a file: one scale for all parts */
        free(put_panels(NULL, o, &series, panels, count, &xs));
        int held = !strcmp(series.text[0], BASELINE);
        int each = MOST_CURVES - held;
        int parts = (series.count - held + each - 1) / each;
        for (int i = 0; i < parts; i++) {
            Values some = part_of(&series, held, each, i);
            char *numbered = format_text("%s-%d", name, i + 1);
            char *title = format_text("%s (%d of %d)", whose, i + 1, parts);
            draw_panels(o, numbered, title, &some, panels, count, &xs);
            free(numbered);
            free(title);
            free(some.text);
        }
    }
    free(xs.x);
    values_free(&series);
}
