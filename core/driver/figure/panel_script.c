/* panel_script.c - what a figure's script says of its panels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "task/task.h"
#include "driver/results/quantity.h"
#include "driver/figure/panel_script.h"

static int
by_seed(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Different seeds in a series. */
static int
seeds_in(const Group *g, const char *by, const char *series)
{
    int count, apart = 0;
    const Run **runs = series_runs(g, by, series, &count);
    int *seeds = allocate((size_t)count + 1, sizeof *seeds);
    for (int i = 0; i < count; i++)
        seeds[i] = runs[i]->config.seed;
    qsort(seeds, (size_t)count, sizeof *seeds, by_seed);
    for (int i = 0; i < count; i++)
        apart += i == 0 || seeds[i] != seeds[i - 1];
    free(seeds);
    free(runs);
    return apart;
}

/* Seeds in the smallest and the largest series, "5" or "3 to 5"; returns the
   latter. */
static int
seeds_text(const Panel *panels, int count, const char *by, char text[32])
{
    int least = 1 << 30, most = 0;
    for (int p = 0; p < count; p++)
        for (int s = 0; s < panels[p].group->series.count; s++) {
            int n =
                seeds_in(panels[p].group, by, panels[p].group->series.text[s]);
            least = n < least ? n : least;
            most = n > most ? n : most;
        }
    if (least == most)
        snprintf(text, 32, "%d", most);
    else
        snprintf(text, 32, "%d to %d", least, most);
    return most;
}

/* The title that a figure has unless the user gives one: whose, and what the
   points and bands are. */
static char *
title_of(const Options *o, const char *whose, const Panel *panels, int count)
{
    char seeds[32];
    int medians = 0, most = seeds_text(panels, count, o->by, seeds);
    for (int p = 0; p < count; p++)
        medians += quantity_named(panels[p].y)->median;
    if (o->title)
        return copy_text(o->title);
    if (!strcmp(seeds, "1"))
        return format_text("%s: one seed", whose);
    if (medians == count)
        return format_text("%s: median of %s seeds, from the first to the last",
                           whose, seeds);
    return format_text("%s: mean of %s seeds%s%s", whose, seeds,
                       most < INTERVAL_SEEDS ? ", smallest to largest"
                                             : " and its 95% interval",
                       medians ? "; of steps the median, first to last" : "");
}

/* A quantity in words, as its task measures it; to be freed. */
static char *
y_title(const Panel *p)
{
    return axis_title(p->y, task_named(p->group->runs[0]->config.task));
}

/* A level that all runs of the group share, or NaN. */
static double
shared_level(const Group *g, const char *key)
{
    for (int i = 1; i < g->count; i++)
        if (strcmp(run_text(g->runs[i], key), run_text(g->runs[0], key)))
            return NAN;
    return run_number(g->runs[0], key);
}

/* Levels to compare a panel's curves with, "value name value name ...". */
static void
put_marks(FILE *script, const Panel *p)
{
    const Quantity *y = quantity_named(p->y);
    for (const Quantity *q = quantities; q < quantities + quantity_count; q++) {
        double level = q->level && q->measure == y->measure
                           ? shared_level(p->group, q->name)
                           : NAN;
        if (!isnan(level))
            fprintf(script, "%.6g %s ", level, q->level);
    }
    if (y->median)
        fprintf(script, "%d unsolved ", p->group->runs[0]->config.steps);
}

/* Is its axis logarithmic: where it was asked for, or powers of ten are
 * spanned?
 */
static bool
is_log(const Panel *p, const Options *o)
{
    return o->log_y ? isfinite(p->positive)
                    : isfinite(p->low) && p->low > 0 && p->high > 30 * p->low &&
                          quantity_named(p->y)->scale == POWERS;
}

/* $titles of the panels, or the $ylabels of their axes, each `label` where that
   was given. Bare panels have what they show as their title. */
static void
put_names(const Figure *f, const char *key, const Panel *panels, int count,
          const char *label, bool bare)
{
    figure_block(f, key);
    for (const Panel *p = panels; p < panels + count; p++) {
        char *y = y_title(p);
        figure_line(f, *key == 'y' ? label ? label : y
                       : *p->title ? p->title
                       : bare      ? y
                                   : "");
        free(y);
    }
    figure_block_end(f);
}

/* Numbers of the panels, and levels. */
static void
put_numbers(FILE *script, const Panel *panels, int count, const Options *o)
{
    static const char *const arrays[] = {"logs", "shares", "least", "most",
                                         "marks"};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        fprintf(script, "array %s[%d]\n", arrays[i], count);
    for (int i = 0; i < count; i++) {
        const Panel *p = &panels[i];
        bool seen = isfinite(p->low), log = is_log(p, o);
        fprintf(script, "p = %d; logs[p] = %d; shares[p] = %d; ", i + 1, log,
                seen && p->low >= 0 && quantity_named(p->y)->scale == SHARE);
        fprintf(script, "least[p] = %g; most[p] = %g; marks[p] = '",
                !seen ? 0
                : log ? p->positive
                      : p->low,
                seen ? p->high : 0);
        put_marks(script, p);
        fprintf(script, "'\n");
    }
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

/* "standard from 0.1 to 1", or "standard 1"; to be freed. */
static char *
curve_words(const Curve *c, const char *by)
{
    char first[33], last[33];
    short_number(c->panel, c->first, first);
    short_number(c->panel, c->last, last);
    return strcmp(first, last)
               ? format_text("%s%s%s from %s to %s", by, *by ? " " : "",
                             c->series, first, last)
               : format_text("%s%s%s %s", by, *by ? " " : "", c->series, first);
}

/* What is seen, in words: panel by panel, where each curve begins and ends. */
static void
put_seen(Figure *f, const Options *o, const char *by, const char *label,
         const Curve *curves, int count)
{
    char *text = copy_text("");
    const Panel *last = NULL;
    bool hidden = false;
    for (const Curve *c = curves; c < curves + count; c++) {
        if (!c->rows)
            continue;
        const Panel *p = c->panel;
        char *y = y_title(p), *curve = curve_words(c, by);
        const char *name = *p->title ? p->title : label && *label ? label : y;
        replace(&text, p == last ? format_text("%s, %s", text, curve)
                                 : format_text("%s%s%s: %s", text,
                                               last ? ". " : "", name, curve));
        hidden |= p->below && is_log(p, o);
        last = p;
        free(y);
        free(curve);
    }
    static const char without[] = "What is not above 0 is not drawn.";
    if (hidden && !o->quiet)
        note("%s: its axis is logarithmic. %s", f->name, without);
    char *all =
        format_text(hidden ? "%s. %s" : "%s.%s", text, hidden ? without : "");
    figure_text(f, "seen", all);
    free(all);
    free(text);
}

/* Both halves of --labels "X,Y"; NULL where it was not given. */
static Values
labels_given(const Options *o)
{
    Values v = {0};
    if (o->labels)
        v = values_cut(o->labels);
    return v;
}

/* How high a legend is that has to stand below the panels, since its names
   would leave them no room; 0 where it stands beside them. */
static int
height_below(const Values *series, bool narrow)
{
    size_t longest = 0;
    for (int i = 0; i < series->count; i++)
        if (strlen(series->text[i]) > longest)
            longest = strlen(series->text[i]);
    bool wide = longest > (narrow ? 22 : 34);
    return wide && series->count > 1 ? 10 + 19 * series->count : 0;
}

/* How the panels lie, and the size that lets them be read. */
static void
put_size(FILE *script, const Options *o, const Values *series,
         const Panel *panels, int count)
{
    bool narrow = o->size && !strcmp(o->size, "column");
    int below = height_below(series, narrow);
    int columns = narrow ? 1 : count <= 3 ? count : count == 4 ? 2 : 3;
    int down = (count + columns - 1) / columns;
    bool same = true;
    for (int p = 1; p < count; p++)
        same &= !strcmp(panels[p].y, panels[0].y);
    fprintf(script, "columns = %d\ndown = %d\n", columns, down);
    fprintf(script, "if (!exists(\"width\")) width = %d\n",
            count == 1 ? 660 : 220 + (same ? 300 : 345) * columns);
    fprintf(script, "below = %d\nif (!exists(\"height\")) height = %d\n", below,
            100 + 280 * down + below);
}

static int
most_steps(const Panel *panels, int count)
{
    int most = 1;
    for (int p = 0; p < count; p++)
        for (int i = 0; i < panels[p].group->count; i++) {
            int steps = panels[p].group->runs[i]->config.steps;
            most = steps > most ? steps : most;
        }
    return most;
}

void
put_script(Figure *f, const Options *o, const char *whose, const Values *series,
           const Panel *panels, int count, const Curve *curves,
           const double *xs, int places)
{
    char *plain = title_of(o, whose, panels, count);
    figure_text(f, "title", plain);
    free(plain);
    bool over_steps = !strcmp(o->x, "step");
    Values labels = labels_given(o);
    const char *by = strcmp(o->by, "variant") ? o->by : "";
    figure_text(f, "by", by);
    figure_words(f, "series", series->text, series->count);
    char *x = axis_title(o->x, NULL);
    figure_text(f, "xlabel", labels.count ? labels.text[0] : x);
    free(x);
    fprintf(f->script, "bands = %d\nxs = '", over_steps);
    for (int v = 0; v < places; v++)
        fprintf(f->script, "%s%.10g", v ? " " : "", xs[v]);
    bool log_x =
        o->log_x || (places > 1 && xs[0] > 0 && xs[places - 1] >= 8 * xs[0]);
    if (log_x && places && xs[0] <= 0)
        usage("--log-x: %s is %.10g in a run, which has no place on a "
              "logarithmic axis",
              o->x, xs[0]);
    fprintf(f->script, "'\nticks = %d\nlog_x = %d\n",
            places <= 10 && (setting_named(o->x) || log_x), log_x);
    fprintf(f->script, "longest_run = %d\n", most_steps(panels, count));
    const char *y = o->bare ? "" : labels.count > 1 ? labels.text[1] : NULL;
    put_size(f->script, o, series, panels, count);
    put_names(f, "titles", panels, count, NULL, o->bare);
    put_names(f, "ylabels", panels, count, y, o->bare);
    put_seen(f, o, by, y, curves, count * series->count);
    put_numbers(f->script, panels, count, o);
    fprintf(f->script, "array before[%d] = [0", count * series->count + 1);
    for (int c = 0, rows = 0; c < count * series->count; c++)
        fprintf(f->script, ", %d", rows += curves[c].rows);
    fprintf(f->script, "]\n");
    values_free(&labels);
}
