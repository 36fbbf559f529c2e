/* panel.c - figures of one or more panels: curves of a quantity, over steps or
   against a setting or a result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/tasks.h"
#include "study/caption.h"
#include "study/draw.h"
#include "study/panel.h"
#include "study/quantity.h"
#include "heart/fail.h"

enum { MOST_CURVES = 7 };
const char default_y[] = "validation_loss,validation_accuracy";

static void
put_row(FILE *data, const Plot *all, const Point *t)
{
    char n[4][32];
    fprintf(data, "%d\t%s\t%s\t%s\t%s\t%s", (int)(t->panel - all->panels) + 1,
            t->series, number_text(t->x, 10, n[0]),
            number_text(t->y.mean, 6, n[1]), number_text(t->y.low, 6, n[2]),
            number_text(t->y.high, 6, n[3]));
    if (all->each_seed)
        fprintf(data, "\t%d", t->seed);
    fputs("\n", data);
}

/* Writes the data of some series, curve by curve. Where each seed is drawn, the
   last column tells it, and 0 the rows of their medians, which follow. */
static void
put_data(const Figure *f, const Plot *all, const Values *series)
{
    fprintf(f->data, "panel\tseries\t%s\tmean\tlow\thigh%s\n", all->o->x,
            all->each_seed ? "\tseed" : "");
    for (const Point *t = all->points; t < all->points + all->count; t++)
        if (is_among(series, t->series))
            put_row(f->data, all, t);
}

/* A level that all runs of the group share, or NaN. */
static double
shared_level(const Group *g, const char *key)
{
    for (int i = 1; i < g->count; i++)
        if (!run_has(g->runs[i], key) ||
            strcmp(run_text(g->runs[i], key), run_text(g->runs[0], key)))
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
        bool seen = isfinite(p->low), log = p->log;
        fprintf(script, "%d %d %g %g", log,
                seen && p->low >= 0 && y->scale == SHARE,
                log    ? p->positive
                : seen ? p->low
                       : 0,
                seen ? p->high : 0);
        for (const Quantity *q = quantities; q < quantities + quantity_count;
             q++) {
            double level = is_level(q, p->y, p->group->runs[0])
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
        double last = y->median ? shared_level(p->group, "steps") : NAN;
        if (!isnan(last))
            fprintf(script, " %.10g unsolved", last);
        fprintf(script, "\n");
    }
    fprintf(script, "END\n");
}

static void
put_limits(FILE *script, const char *name, const double limits[2])
{
    if (!isnan(limits[0]))
        fprintf(script, "%s = '%.10g %.10g'\n", name, limits[0], limits[1]);
}

/* What is along x: places and the words there, or how far training went; limits
   of the axes; whether a legend tells more than that; and the seeds. */
static void
put_places(const Figure *f, const Plot *all)
{
    FILE *script = f->script;
    const double *xs = all->xs;
    int n = all->places;
    Values words = {0};
    fprintf(script, "xs = '");
    for (int i = 0; i < n; i++)
        fprintf(script, "%s%.10g", i ? " " : "", xs[i]);
    fprintf(script, "'\nticks = %d\nlog_x = %d\nlongest_run = %.10g\n",
            all->words.count ||
                (n && n <= 10 && (axis_named(all->o->x) || all->log_x)),
            all->log_x, all->over_training ? all->longest : 1);
    for (int i = 0; i < n && all->words.count; i++)
        values_add(&words, shown_name(all->o, all->words.text[(int)xs[i] - 1]));
    if (words.count)
        figure_words(f, "words", &words);
    values_free(&words);
    put_limits(script, "xlim", all->xlim);
    put_limits(script, "ylim", all->ylim);
    if (series_along(all->o))
        fprintf(script, "named_along = 1\n");
    if (all->o->map)
        fprintf(script, "upward = %d\n",
                setting_numeric(axis_named(all->o->by)));
    if (!all->each_seed)
        return;
    Values seeds = {0};
    for (int i = 0; i < all->count; i++)
        if (all->points[i].seed)
            values_add(&seeds, format_text("%d", all->points[i].seed));
    series_sort(&seeds);
    char *list = joined(&seeds, " ");
    fprintf(script, "seeds = '%s'\n", list);
    free(list);
    values_free(&seeds);
}

/* What series are called, and in the data, where that differs. */
static void
put_names(const Figure *f, const Drawing *o, const Values *series)
{
    Values shown = {0};
    bool differ = false;
    for (int i = 0; i < series->count; i++) {
        values_add(&shown, shown_name(o, series->text[i]));
        differ |= strcmp(shown.text[i], series->text[i]) != 0;
    }
    if (differ)
        figure_words(f, "keys", series);
    figure_words(f, "series", &shown);
    values_free(&shown);
}

/* Draws a curve for each of these series. */
static void
draw_panels(const Plot *all, const char *name, const char *whose,
            const Values *series)
{
    const Drawing *o = all->o;
    bool any = false;
    Values labels = values_cut(o->labels ? o->labels : "");
    Values titles = {0}, ylabels = {0}, names = {0};
    for (const Panel *p = all->panels; p < all->panels + all->panel_count;
         p++) {
        char *y = y_title(p);
        const char *title = p->title ? p->title : y;
        const char *label = !p->title          ? ""
                            : labels.count > 1 ? labels.text[1]
                                               : y;
        values_add(&titles, copy_text(title));
        values_add(&ylabels, copy_text(label));
        values_add(&names, copy_text(*title ? title : *label ? label : y));
        any |= isfinite(p->low) && (!all->over_training || all->longest > 0);
        free(y);
    }
    if (any) {
        Figure f = figure_begin(o, name);
        bool hidden = false;
        char *title = title_of(all, whose), *x = x_title(all);
        char *by = by_title(o);
        char *notes = notes_of(all, series, &hidden);
        char *seen = seen_of(all, series, names.text);
        if (hidden && !o->quiet)
            note("%s: its axis is logarithmic. What is not above 0 is not "
                 "drawn",
                 f.name);
        put_data(&f, all, series);
        figure_title(&f, title, notes, seen);
        figure_label(&f, "by", o->map || strcmp(o->by, "variant") ? by : "");
        figure_label(&f, "xlabel", o->labels ? labels.text[0] : x);
        put_names(&f, o, series);
        figure_labels(&f, "titles", &titles);
        figure_labels(&f, "ylabels", &ylabels);
        put_places(&f, all);
        fprintf(f.script, "title_asked = %d\n", !!o->title);
        put_ranges(f.script, all);
        figure_end(&f, o->map ? "map" : "panels");
        free(by);
        free(title);
        free(notes);
        free(seen);
        free(x);
    } else
        note("%s is not drawn: none of its numbers is finite: its runs "
             "diverged, took no step, or have no such number; give another "
             "--x or --y, or train at a lower --lr",
             name);
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
draw_figures(const Drawing *o, const Experiment *e, const char *name,
             const char *whose, Panel *panels, int count)
{
    Plot all = curves_of(o, e, panels, count);
    bool seeds = o->spread && !strcmp(o->spread, "seeds");
    char *own = format_text("%s%s", name,
                            o->map  ? "-map"
                            : seeds ? "-seeds"
                                    : "");
    if (all.series.count > MOST_CURVES && !o->map && !series_along(o))
        draw_parts(&all, own, whose);
    else
        draw_panels(&all, own, whose, &all.series);
    free(own);
    curves_free(&all);
}
