/* panel.c - figures of one or more panels: curves of a quantity, over steps or
   against a setting or a result. */
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

/* --- its words */

/* The quantity of a panel, as its task measures it; to be freed. */
static char *
y_title(const Panel *p, const Drawing *o)
{
    char *title = axis_title(p->y, task_named(p->group->runs[0]->config.task));
    if (o->smooth)
        replace(&title, format_text("%s, %d-step mean", title, o->smooth));
    return title;
}

/* What lies along x; to be freed. */
static char *
x_title(const Plot *all)
{
    return all->over_training ? copy_text(progress_title(all->o->x))
                              : axis_title(all->o->x, NULL);
}

/* The title that a figure has unless the user gives one: whose, and what the
   points and bands are. */
static char *
title_of(const Plot *all, const char *whose)
{
    char seeds[32];
    int medians = 0, shares = 0;
    for (int p = 0; p < all->panel_count; p++) {
        medians += quantity_named(all->panels[p].y)->median;
        shares += quantity_named(all->panels[p].y)->counted;
    }
    if (all->least < all->most)
        snprintf(seeds, sizeof seeds, "%d to %d", all->least, all->most);
    else
        snprintf(seeds, sizeof seeds, "%d", all->most);
    if (all->o->title)
        return copy_text(all->o->title);
    if (all->most == 1)
        return format_text("%s: one seed", whose);
    int covered = (int)floor(100 * median_coverage(all->least));
    if (medians == all->panel_count)
        return format_text("%s: median of %s seeds, %d%% interval", whose,
                           seeds, covered);
    if (shares == all->panel_count)
        return format_text("%s: share of %s seeds, 95%% interval (Wilson)",
                           whose, seeds);
    char *median = format_text("; of steps the median, %d%%", covered);
    char *title = format_text(
        "%s: mean of %s seeds, %s%s%s", whose, seeds,
        all->most < INTERVAL_SEEDS ? "smallest to largest"
                                   : "95% interval (Student's t)",
        medians ? median : "", shares ? "; of shares Wilson's" : "");
    free(median);
    return title;
}

/* Is its axis logarithmic: where it was asked for, or powers of ten are
   spanned? */
static bool
is_log(const Panel *p, const Drawing *o)
{
    return o->log_y ? isfinite(p->positive)
                    : isfinite(p->low) && p->low > 0 && p->high > 30 * p->low &&
                          quantity_named(p->y)->scale == POWERS;
}

/* A mean; a median that is all the steps there were is of seeds that needed
   more. */
static void
short_number(const Panel *p, double x, char text[33])
{
    bool median = quantity_named(p->y)->median;
    text[0] = '>';
    number_text(x, median ? 10 : 3,
                text + (median && x >= p->group->runs[0]->config.steps));
}

/* "standard from 0.1 to 1", or "standard 1". */
static void
put_curve_words(FILE *to, const char *by, const Point *first, const Point *last)
{
    char begin[33], end[33];
    short_number(first->panel, first->y.mean, begin);
    short_number(last->panel, last->y.mean, end);
    fprintf(to, "%s%s%s ", by, *by ? " " : "", first->series);
    if (strcmp(begin, end))
        fprintf(to, "from %s to ", begin);
    fputs(end, to);
}

static void
put_row(FILE *data, int panel, const Point *t)
{
    char n[4][32];
    fprintf(data, "%d\t%s\t%s\t%s\t%s\t%s\n", panel + 1, t->series,
            number_text(t->x, 10, n[0]), number_text(t->y.mean, 6, n[1]),
            number_text(t->y.low, 6, n[2]), number_text(t->y.high, 6, n[3]));
}

static bool
is_among(const Values *series, const char *name)
{
    for (int i = 0; i < series->count; i++)
        if (series->text[i] == name)
            return true;
    return false;
}

/* Writes the data of some series, curve by curve; what is seen of them, in
   words that begin with the panels' names, to be freed. */
static char *
put_data(const Figure *f, const Plot *all, const Values *series, char **names)
{
    const char *by = strcmp(all->o->by, "variant") ? all->o->by : "";
    const Panel *before = NULL;
    bool hidden = false, unsolved = false;
    char *words;
    FILE *seen = begin_text(&words);
    fprintf(f->data, "panel\tseries\t%s\tmean\tlow\thigh\n", all->o->x);
    const Point *end = all->points + all->count, *next;
    for (const Point *first = all->points; first < end; first = next) {
        const Panel *p = first->panel;
        int panel = (int)(p - all->panels);
        bool shown = is_among(series, first->series);
        for (next = first;
             next < end && next->panel == p && next->series == first->series;
             next++) {
            if (shown)
                put_row(f->data, panel, next);
            hidden |= shown && next->y.mean <= 0 && is_log(p, all->o);
            unsolved |= shown && quantity_named(p->y)->median &&
                        next->y.high >= p->group->runs[0]->config.steps;
        }
        if (!shown)
            continue;
        if (p == before)
            fputs(", ", seen);
        else
            fprintf(seen, "%s %s: ", before ? "." : "", names[panel]);
        put_curve_words(seen, by, first, next - 1);
        before = p;
    }
    fputs(hidden ? ". What is not above 0 is not drawn." : ".", seen);
    if (all->o->smooth)
        fprintf(seen,
                " Each value is a seed's mean over the %d steps around it, "
                "of fewer at both ends.",
                all->o->smooth);
    fputs(unsolved ? " A seed that never got there is drawn at the last step."
                   : "",
          seen);
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
    for (const Panel *p = all->panels; p < all->panels + all->panel_count;
         p++) {
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
            bool other = q->split && strncmp(p->y, q->split, strlen(q->split));
            double level = q->level && q->measure == y->measure && !other
                               ? shared_level(p->group, q->name)
                               : NAN;
            if (!isnan(level)) {
                char *name = copy_text(q->level);
                for (char *c = name; *c; c++)
                    *c = *c == ' ' ? '_' : *c;
                fprintf(script, " %.6g %s", level, name);
                free(name);
            }
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
    fprintf(script, "'\nticks = %d\nlog_x = %d\nlongest_run = %.10g\n",
            n <= 10 && (setting_named(all->o->x) || log), log,
            all->over_training ? all->longest : 1);
}

/* Draws a curve for each of these series. */
static void
draw_panels(const Plot *all, const char *name, const char *whose,
            const Values *series)
{
    const Drawing *o = all->o;
    const char *why = all->over_training && !(all->longest > 0)
                          ? "its runs took no step (--steps 0)"
                          : "none of its numbers is finite: its runs diverged, "
                            "or have no such number";
    bool any = false;
    Values labels = values_cut(o->labels ? o->labels : "");
    Values titles = {0}, ylabels = {0}, names = {0};
    for (const Panel *p = all->panels; p < all->panels + all->panel_count;
         p++) {
        char *y = y_title(p, o);
        const char *title = p->title ? p->title : y;
        const char *label = !p->title          ? ""
                            : labels.count > 1 ? labels.text[1]
                                               : y;
        values_add(&titles, copy_text(title));
        values_add(&ylabels, copy_text(label));
        values_add(&names, copy_text(*title ? title : *label ? label : y));
        any |= isfinite(p->low) && !(all->over_training && !(all->longest > 0));
        free(y);
    }
    Figure f = figure_begin(o, name);
    if (any) {
        char *title = title_of(all, whose), *x = x_title(all);
        char *seen = put_data(&f, all, series, names.text);
        figure_title(&f, title, seen);
        char *by = axis_title(o->by, NULL);
        figure_label(&f, "by", strcmp(o->by, "variant") ? by : "");
        figure_label(&f, "xlabel", o->labels ? labels.text[0] : x);
        figure_words(&f, "series", series);
        figure_labels(&f, "titles", &titles);
        figure_labels(&f, "ylabels", &ylabels);
        free(by);
        put_places(f.script, all);
        fprintf(f.script, "title_asked = %d\n", !!o->title);
        put_ranges(f.script, all);
        figure_end(&f, "panels");
        free(title);
        free(seen);
        free(x);
    } else
        figure_drop(&f, why);
    values_free(&labels);
    values_free(&titles);
    values_free(&ylabels);
    values_free(&names);
}

/* Draws several figures, each with the baseline and some of the others, on one
   scale. */
static void
draw_parts(const Plot *all, const char *name, const char *whose)
{
    const Values *series = &all->series;
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
draw_figures(const Drawing *o, const char *name, const char *whose,
             Panel *panels, int count)
{
    Plot all = curves_of(o, panels, count);
    if (all.series.count > MOST_CURVES)
        draw_parts(&all, name, whose);
    else
        draw_panels(&all, name, whose, &all.series);
    curves_free(&all);
}
