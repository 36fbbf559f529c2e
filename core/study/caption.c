/* caption.c - what a figure of curves says in words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/tasks.h"
#include "study/caption.h"
#include "study/quantity.h"
#include "heart/fail.h"

char *
x_title(const Plot *all)
{
    return all->over_training ? copy_text(progress_title(all->o->x))
                              : axis_title(all->o->x, NULL);
}

char *
by_title(const Drawing *o)
{
    Values parts = values_cut(o->by);
    for (int i = 0; i < parts.count; i++)
        replace(&parts.text[i], axis_title(parts.text[i], NULL));
    char *title = joined(&parts, ", ");
    values_free(&parts);
    return title;
}

char *
y_title(const Panel *p)
{
    return axis_title(p->y, task_named(p->group->runs[0]->config.task));
}

/* What points and bands are of the quantities, of that many seeds; a map has no
   bands. */
static char *
measured(const Plot *all, const char *seeds)
{
    int medians = 0, shares = 0;
    int covered = (int)floor(100 * median_coverage(all->least));
    for (int p = 0; p < all->panel_count; p++) {
        medians += quantity_named(all->panels[p].y)->median;
        shares += quantity_named(all->panels[p].y)->counted;
    }
    bool median = medians == all->panel_count;
    bool share = shares == all->panel_count;
    if (all->o->map)
        return format_text("%s of %s seeds",
                           median  ? "median"
                           : share ? "share"
                                   : "mean",
                           seeds);
    if (median)
        return format_text("median of %s seeds, %d%% interval", seeds, covered);
    if (share)
        return format_text("share of %s seeds, 95%% interval (Wilson)", seeds);
    char *some = format_text("; of steps the median, %d%%", covered);
    char *what =
        format_text("mean of %s seeds, %s%s%s", seeds,
                    all->most < INTERVAL_SEEDS ? "smallest to largest"
                                               : "95% interval (Student's t)",
                    medians ? some : "", shares ? "; of shares Wilson's" : "");
    free(some);
    return what;
}

char *
title_of(const Plot *all, const char *whose)
{
    char seeds[32];
    if (all->least < all->most)
        snprintf(seeds, sizeof seeds, "%d to %d", all->least, all->most);
    else
        snprintf(seeds, sizeof seeds, "%d", all->most);
    if (all->o->title)
        return copy_text(all->o->title);
    if (all->most == 1)
        return format_text("%s: one seed", whose);
    if (!all->most)
        return format_text("%s: each seed a point", whose);
    if (all->each_seed)
        return format_text("%s: each of %s seeds, and their median", whose,
                           seeds);
    char *what = measured(all, seeds);
    char *title = format_text("%s: %s", whose, what);
    free(what);
    return title;
}

/* A mean; a median that is all the steps there were is of seeds that needed
   more. */
static void
short_number(const Point *t, char text[33])
{
    bool median = quantity_named(t->panel->y)->median;
    text[0] = '>';
    number_text(t->y.mean, median ? 10 : 3,
                text + (median && t->y.mean >= t->last));
}

/* "here, there": where the runs of a series are from, NULL for all runs; ""
   where all are from one experiment. */
static char *
sources_of(const Plot *all, const char *series)
{
    Values names = {0};
    char name[VALUE_SIZE];
    for (int p = 0; p < all->panel_count; p++) {
        const Group *g = all->panels[p].group;
        const Series *s = series ? group_series(g, series) : NULL;
        const Run **runs = s ? s->runs : g->runs;
        int count = s ? s->count : series ? 0 : g->count;
        for (int i = 0; i < count; i++) {
            run_setting(runs[i], "experiment", name);
            values_add(&names, copy_text(name));
        }
    }
    series_sort(&names);
    bool several = names.count > 1;
    char *list = series || several ? joined(&names, ", ") : copy_text("");
    values_free(&names);
    return list;
}

bool
is_among(const Values *list, const char *text)
{
    for (int i = 0; i < list->count; i++)
        if (list->text[i] == text)
            return true;
    return false;
}

/* Do curves, places along x or panels say which experiment they are of? */
static bool
tells_experiments(const Drawing *o)
{
    char *told = format_text("%s,%s,%s", o->by, o->x, o->facet ? o->facet : "");
    bool tells = index_in(told, "experiment") >= 0;
    free(told);
    return tells;
}

/* "standard", "d-k 4", "standard (here)". */
static void
put_series(FILE *to, const Plot *all, const char *series)
{
    const char *by = all->o->by;
    char *name = shown_name(all->o, series);
    char *sources = sources_of(all, NULL);
    bool plain = !strcmp(by, "variant") || strchr(by, ',');
    fprintf(to, "%s%s%s", plain ? "" : by, plain ? "" : " ", name);
    if (*sources && !tells_experiments(all->o)) {
        replace(&sources, sources_of(all, series));
        fprintf(to, " (%s)", sources);
    }
    free(sources);
    free(name);
}

/* "0.1", or "recall 0.1" where there are words along x. */
static void
put_value(FILE *to, const Plot *all, const Point *t)
{
    char number[33];
    short_number(t, number);
    if (all->words.count && !series_along(all->o)) {
        char *word = shown_name(all->o, all->words.text[(int)t->x - 1]);
        fprintf(to, "%s ", word);
        free(word);
    }
    fputs(number, to);
}

/* "standard from 0.1 to 1", "standard 1", "standard: recall 0.1, sort 0.2". */
static void
put_curve(FILE *to, const Plot *all, const Point *points, int count)
{
    char begin[33], end[33];
    put_series(to, all, points->series);
    if (all->words.count) {
        for (int i = 0; i < count; i++) {
            fputs(i ? ", " : count > 1 ? ": " : " ", to);
            put_value(to, all, &points[i]);
        }
        return;
    }
    fputs(" ", to);
    while (count > 1 && isnan(points[count - 1].y.mean))
        count--; /* where the first seed ended */
    short_number(points, begin);
    short_number(&points[count - 1], end);
    if (strcmp(begin, end))
        fprintf(to, "from %s to ", begin);
    fputs(end, to);
}

/* The lowest and the highest cell of a map: "0.1 at 2, lr 0.01". */
static void
put_extremes(FILE *to, const Plot *all, const Panel *p)
{
    const Point *low = NULL, *high = NULL;
    for (const Point *t = all->points; t < all->points + all->count; t++) {
        if (t->panel != p || !isfinite(t->y.mean))
            continue;
        low = !low || t->y.mean < low->y.mean ? t : low;
        high = !high || t->y.mean > high->y.mean ? t : high;
    }
    for (int i = 0; low && i < 2; i++) {
        const Point *t = i ? high : low;
        char number[33];
        char *word = shown_name(all->o, all->words.text[(int)t->x - 1]);
        short_number(t, number);
        fprintf(to, "%s %s (%s %s, ", i ? ", highest" : "lowest", number,
                all->o->x, word);
        put_series(to, all, t->series);
        fputs(")", to);
        free(word);
    }
}

static bool
is_beyond(const double limits[2], double x)
{
    return x < limits[0] || x > limits[1]; /* not where these are NaN */
}

/* " lr: here 0.003, there 0.01.", where experiments differ in a setting. */
static void
put_differences(FILE *to, const Plot *all, const Setting *s)
{
    Values each = {0}, values = {0};
    for (int p = 0; p < all->panel_count; p++)
        for (int i = 0; i < all->panels[p].group->count; i++) {
            const Run *r = all->panels[p].group->runs[i];
            const char *value = run_asked(r, s);
            char name[VALUE_SIZE];
            run_setting(r, "experiment", name);
            if (!value)
                continue;
            char *shown = shown_name(all->o, name);
            values_add(&each, format_text("%s %s", shown, value));
            values_add(&values, copy_text(value));
            free(shown);
        }
    series_sort(&each);
    series_sort(&values);
    char *list = joined(&each, ", ");
    if (values.count > 1)
        fprintf(to, " %s: %s.", s->name, list);
    free(list);
    values_free(&each);
    values_free(&values);
}

/* " Drawn: test loss (nats), test accuracy against learning rate." */
static void
put_axes(FILE *to, const Plot *all)
{
    Values ys = {0};
    for (int p = 0; p < all->panel_count; p++) {
        char *y = y_title(&all->panels[p]);
        bool known = false;
        for (int i = 0; i < ys.count; i++)
            known |= !strcmp(ys.text[i], y);
        if (!known)
            values_add(&ys, copy_text(y));
        free(y);
    }
    char *list = joined(&ys, ", "), *x = x_title(all);
    fprintf(to, " Drawn: %s against %s.", list, x);
    values_free(&ys);
    free(list);
    free(x);
}

char *
notes_of(const Plot *all, const Values *series, bool *hidden)
{
    char *words;
    FILE *to = begin_text(&words);
    bool unsolved = false, beyond = false, ends = false;
    int cells = 0;
    put_axes(to, all);
    for (const Point *t = all->points; t < all->points + all->count; t++) {
        if (!is_among(series, t->series))
            continue;
        *hidden |= t->y.mean <= 0 && t->panel->log;
        unsolved |= quantity_named(t->panel->y)->median && t->y.high >= t->last;
        cells += isfinite(t->y.mean);
        ends |= all->over_training && isnan(t->y.mean);
        beyond |= !all->o->map && (is_beyond(all->xlim, t->x) ||
                                   is_beyond(all->ylim, t->y.mean));
    }
    if (all->relative)
        fputs(" On a logarithmic axis an interval is that of the logarithm, as "
              "many times above the mean as below.",
              to);
    if (all->each_seed && !all->o->spread)
        fputs(" Each seed is drawn, since some solved the task and others "
              "stayed a tenth or more below them: no seed is near their mean.",
              to);
    if (*hidden)
        fputs(" What is not above 0 is not drawn.", to);
    for (int s = 0; tells_experiments(all->o) && s < setting_count; s++)
        if (settings[s].help &&
            index_in("variant task seed", settings[s].name) < 0)
            put_differences(to, all, &settings[s]);
    if (all->o->map && cells < all->places * series->count * all->panel_count)
        fputs(" Grey cells have no number.", to);
    if (ends)
        fputs(" A curve ends where one of its seeds ended or diverged.", to);
    if (beyond)
        fputs(" What is beyond the limits of the axes is not drawn.", to);
    if (unsolved)
        fputs(" A seed that never got there is drawn at the last step.", to);
    end_text(to, &words);
    return words;
}

char *
seen_of(const Plot *all, const Values *series, char **names)
{
    const Panel *before = NULL;
    const Point *end = all->points + all->count, *next;
    char *words;
    FILE *to = begin_text(&words);
    for (const Point *first = all->points; first < end; first = next) {
        const Panel *p = first->panel;
        for (next = first; next < end && next->panel == p &&
                           next->series == first->series &&
                           !next->seed == !first->seed;)
            next++;
        bool scatter = !all->most; /* there are no other points */
        if ((first->seed && !scatter) || !is_among(series, first->series) ||
            (all->o->map && p == before))
            continue;
        if (p == before)
            fputs(all->words.count ? "; " : ", ", to);
        else
            fprintf(to, "%s %s: ", before ? "." : "", names[p - all->panels]);
        if (all->o->map)
            put_extremes(to, all, p);
        else
            put_curve(to, all, first, (int)(next - first));
        before = p;
    }
    fputs(".", to);
    end_text(to, &words);
    return words;
}
