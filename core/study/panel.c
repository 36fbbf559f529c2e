/* panel.c - a figure of one or more panels: curves of a quantity, over steps or
   against a setting or a result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/tasks.h"
#include "study/draw.h"
#include "study/panel.h"
#include "study/quantity.h"
#include "heart/fail.h"

enum { MOST_CURVES = 7 };
const char default_y[] = "validation_loss,validation_accuracy";

/* Is a text one of a list, not only equal to one? */
static bool
is_among(const Values *list, const char *text)
{
    for (int i = 0; i < list->count; i++)
        if (list->text[i] == text)
            return true;
    return false;
}

/* Writes the data of some series, curve by curve. In the last column is the
   seed, or 0 where the row is of all. */
static void
put_data(const Figure *f, const Plot *all, const Values *series)
{
    fprintf(f->data, "panel\tseries\t%s\tmean\tlow\thigh\tseed\n", all->o->x);
    for (const Point *t = all->points; t < all->points + all->count; t++) {
        char n[4][32];
        if (!is_among(series, t->series))
            continue;
        number_text(t->x, 10, n[0]);
        fprintf(f->data, "%d\t%s\t%s\t%s\t%s\t%s\t%d\n",
                (int)(t->panel - all->panels) + 1, t->series,
                all->words.count ? all->words.text[(int)t->x - 1] : n[0],
                number_text(t->y.mean, 6, n[1]), number_text(t->y.low, 6, n[2]),
                number_text(t->y.high, 6, n[3]), t->seed);
    }
}

/* A level that all runs of the group share, or NaN. */
static double
shared_level(const Group *g, const char *key)
{
    for (int i = 0; i < g->count; i++)
        if (!run_has(g->runs[i], key) ||
            strcmp(run_text(g->runs[i], key), run_text(g->runs[0], key)))
            return NAN;
    return run_number(g->runs[0], key);
}

static void
add_level(Values *levels, int panel, double level, const char *name)
{
    if (!isnan(level))
        values_add(levels, format_text("%d %.6g %s", panel, level, name));
}

/* A line a panel: is its axis logarithmic, is it a share, its range. Then the
   levels to compare its curves with, each a panel, a number and a name. */
static void
put_ranges(const Figure *f, const Plot *all)
{
    Values ranges = {0}, levels = {0};
    for (int i = 0; i < all->panel_count; i++) {
        const Panel *p = &all->panels[i];
        const Quantity *y = quantity_named(p->y);
        values_add(&ranges,
                   format_text("%d %d %g %g", p->log,
                               p->low >= 0 && y->scale == SHARE,
                               p->log ? p->positive : p->low, p->high));
        for (int k = 0; k < quantity_count; k++)
            if (is_level(&quantities[k], p->y, p->group->runs[0]))
                add_level(&levels, i + 1,
                          shared_level(p->group, quantities[k].name),
                          quantities[k].level);
        if (y->median)
            add_level(&levels, i + 1, shared_level(p->group, "steps"),
                      "unsolved");
    }
    figure_words(f, "ranges", &ranges);
    if (levels.count)
        figure_words(f, "levels", &levels);
    values_free(&ranges);
    values_free(&levels);
}

/* What is along x: the values there, as in the data; and, where these are
   words, how they are called. */
static void
put_places(const Figure *f, const Plot *all)
{
    Values xs = {0}, seeds = {0};
    bool few = all->places <= 10 && (axis_named(all->o->x) || all->log_x);
    for (int i = 0; i < all->places; i++)
        values_add(&xs, all->words.count
                            ? copy_text(all->words.text[(int)all->xs[i] - 1])
                            : format_text("%.10g", all->xs[i]));
    for (int i = 0; i < all->count; i++)
        if (all->points[i].seed)
            values_add(&seeds, format_text("%d", all->points[i].seed));
    series_sort(&seeds);
    if (all->words.count)
        figure_words(f, "places", &xs);
    char *list = joined(&xs, " "), *drawn = joined(&seeds, " ");
    fprintf(f->script,
            "xs = '%s'\nseeds = '%s'\nticks = %d\nlog_x = %d\n"
            "longest_run = %.10g\nnamed_along = %d\nupward = %d\n",
            list, drawn, all->words.count || few, all->log_x, all->longest,
            series_along(all->o),
            all->o->map && setting_numeric(axis_named(all->o->by)));
    free(list);
    free(drawn);
    values_free(&xs);
    values_free(&seeds);
}

/* "mean of 5 seeds, 95% interval (Student's t)": what points and bars are, for
   each kind of quantity that there is. */
static char *
measured(const Plot *all, const char *seeds)
{
    Values kinds = {0};
    for (int p = 0; p < all->panel_count; p++) {
        const Quantity *q = quantity_named(all->panels[p].y);
        int covered = (int)floor(100 * median_coverage(all->least));
        values_add(
            &kinds,
            q->median ? format_text("median of %s seeds, %d%% interval", seeds,
                                    covered)
            : q->counted ? format_text("share of %s seeds, 95%% interval "
                                       "(Wilson)",
                                       seeds)
            : all->most < INTERVAL_SEEDS
                ? format_text("mean of %s seeds, smallest to largest", seeds)
                : format_text("mean of %s seeds, 95%% interval "
                              "(Student's t%s)",
                              seeds,
                              all->panels[p].log ? " of the logarithm" : ""));
        if (all->o->map) /* which has no intervals */
            *strchr(kinds.text[p], ',') = 0;
    }
    series_sort(&kinds); /* each once */
    char *list = joined(&kinds, "; ");
    values_free(&kinds);
    return list;
}

/* Of which runs, and what the points and bands are. */
static char *
title_of(const Plot *all, const char *part)
{
    char seeds[32];
    const char *runs = all->panels[0].runs;
    snprintf(seeds, sizeof seeds, all->least < all->most ? "%d to %d" : "%d",
             all->least, all->most);
    if (all->least == all->most)
        snprintf(seeds, sizeof seeds, "%d", all->most);
    if (!all->most)
        return format_text("%s%s: each seed a point", runs, part);
    if (all->most == 1)
        return format_text("%s%s: one seed", runs, part);
    if (all->each_seed)
        return format_text("%s%s: each of %s seeds, and their median", runs,
                           part, seeds);
    char *what = measured(all, seeds);
    char *title = format_text("%s%s: %s", runs, part, what);
    free(what);
    return title;
}

/* The quantities that are drawn, and against what; and a sentence where the
   picture has less than a reader might think. */
static char *
notes_of(const Plot *all, const Values *ylabels, const char *x)
{
    bool hidden = false, unsolved = false, ends = false;
    Values ys = {0};
    for (int i = 0; i < all->panel_count; i++)
        values_add(&ys, copy_text(ylabels->text[i]));
    series_sort(&ys);
    for (const Point *t = all->points; t < all->points + all->count; t++) {
        hidden |= t->panel->log && t->y.mean <= 0;
        ends |= all->over_training && isnan(t->y.mean);
    }
    for (const Panel *p = all->panels; p < all->panels + all->panel_count; p++)
        unsolved |= quantity_named(p->y)->median &&
                    numbers_in(p, all->o) < p->group->count;
    char *list = joined(&ys, ", ");
    char *notes = format_text(
        " Drawn: %s against %s.%s%s%s", list, x,
        hidden ? " What is not above 0 is not drawn on a logarithmic axis."
               : "",
        ends ? " A curve ends where one of its seeds ended or diverged." : "",
        unsolved ? " A seed that never got there is drawn at the last step."
                 : "");
    values_free(&ys);
    free(list);
    return notes;
}

/* What the series are values of. */
static char *
by_title(const Drawing *o)
{
    Values parts = values_cut(o->by);
    for (int i = 0; i < parts.count; i++)
        replace(&parts.text[i], axis_title(parts.text[i], NULL));
    char *title = joined(&parts, ", ");
    values_free(&parts);
    return title;
}

/* Draws a curve for each of these series. */
static void
draw_series(const Plot *all, const char *name, const char *part,
            const Values *series)
{
    const Drawing *o = all->o;
    Values titles = {0}, ylabels = {0};
    for (int i = 0; i < all->panel_count; i++) {
        const Panel *p = &all->panels[i];
        const char *task = p->group->runs[0]->config.task;
        values_add(&titles, copy_text(p->title));
        values_add(&ylabels, axis_title(p->y, task_named(task)));
    }
    Figure f = figure_begin(o, name);
    char *x = all->over_training ? copy_text(progress_title(o->x))
                                 : axis_title(o->x, NULL);
    char *title = title_of(all, part), *by = by_title(o);
    char *notes = notes_of(all, &ylabels, x);
    put_data(&f, all, series);
    figure_title(&f, title, notes);
    figure_word(&f, "by", o->map || strcmp(o->by, "variant") ? by : "");
    figure_word(&f, "xlabel", x);
    figure_words(&f, "ylabels", &ylabels);
    figure_words(&f, "titles", &titles);
    figure_words(&f, "keys", series);
    char *names = joined(series, " ");
    fprintf(f.script, "names = '%s' # of these in the data\n", names);
    put_ranges(&f, all);
    put_places(&f, all);
    figure_end(&f, o->map ? "map" : "panels");
    free(names);
    free(notes);
    free(title);
    free(by);
    free(x);
    values_free(&titles);
    values_free(&ylabels);
}

/* Draws several figures, each with the baseline and some of the others, on one
   scale. */
static void
draw_parts(const Plot *all, const char *name)
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
        char *which = format_text(" (%d of %d)", part + 1, parts);
        draw_series(all, numbered, which, &some);
        free(numbered);
        free(which);
        free(some.text); /* its texts are those of series */
    }
}

void
panels_draw(const Drawing *o, const Experiment *e, Panel *panels, int count)
{
    Plot all = curves_of(o, e, panels, count);
    const char *kind = o->map ? "-map" : all.each_seed ? "-seeds" : "";
    char *name = format_text("%s%s", panels[0].figure, kind);
    if (all.series.count > MOST_CURVES && !o->map && !series_along(o))
        draw_parts(&all, name);
    else
        draw_series(&all, name, "", &all.series);
    free(name);
    curves_free(&all);
}
