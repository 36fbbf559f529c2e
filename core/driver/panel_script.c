/* panel_script.c - what a figure's script says of its panels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "panel_script.h"
#include "quantity.h"
#include "task.h"
#include "words.h"

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
        medians += is_median(panels[p].y);
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
    const Task *t = task_named(p->group->runs[0]->config.task);
    char *text = copy_text(axis_title(p->y));
    char *at = strstr(text, "accuracy"), *nats = strstr(text, " (nats)");
    if (!strcmp(task_measure(t), "accuracy"))
        return text;
    if (at) {
        memcpy(at, "R^2", 3);
        memmove(at + 3, at + 8, strlen(at + 8) + 1);
    }
    if (nats)
        *nats = 0;
    return text;
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

/* Levels to compare a curve with, "value name value name ...". */
static void
put_marks(FILE *script, const Panel *p)
{
    static const char *const marks[][2] = {{"chance_loss", "guessing"},
                                           {"unigram_loss", "unigram"},
                                           {"bigram_loss", "bigram"},
                                           {"cheat", "cheat"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        bool of_loss = strstr(marks[i][0], "loss") != NULL;
        double level = strstr(p->y, of_loss ? "loss" : "accuracy")
                           ? shared_level(p->group, marks[i][0])
                           : NAN;
        if (!isnan(level))
            fprintf(script, "%.6g %s ", level, marks[i][1]);
    }
    if (is_median(p->y))
        fprintf(script, "%d unsolved ", p->group->runs[0]->config.steps);
}

/* May a quantity span powers of ten? Shares and ranks do not. */
static bool
grows(const char *y)
{
    return strstr(y, "loss") || strstr(y, "gradient") ||
           strstr(y, "distance") || strstr(y, "deviation");
}

/* Does it lie between 0 and 1? */
static bool
is_share(const char *y)
{
    return strstr(y, "accuracy") || !strcmp(y, "solved") ||
           !strcmp(y, "saturated") || !strcmp(y, "largest_weight");
}

/* An array of one cell a panel. `bare` panels have what they show as their
   title. */
enum Cell { TITLES, LABELS, LOGS, SHARES, LEAST, MOST, MARKS };
static void
put_array(FILE *script, const char *name, const Panel *panels, int count,
          enum Cell cell, const char *label, const Options *o)
{
    fprintf(script, "array %s[%d] = [", name, count);
    for (int i = 0; i < count; i++) {
        const Panel *p = &panels[i];
        bool seen = isfinite(p->low);
        char *words = y_title(p);
        char *text = quoted(cell == TITLES ? *p->title ? p->title
                                             : o->bare ? words
                                                       : ""
                            : label        ? label
                                           : words,
                            "''");
        free(words);
        fprintf(script, "%s", i ? ", " : "");
        if (cell == TITLES || cell == LABELS)
            fprintf(script, "%s", text);
        else if (cell == LOGS)
            fprintf(script, "%d",
                    seen && p->low > 0 &&
                        (o->log_y || (p->high > 30 * p->low && grows(p->y))));
        else if (cell == SHARES)
            fprintf(script, "%d", seen && p->low >= 0 && is_share(p->y));
        else if (cell == MARKS) {
            fprintf(script, "'");
            put_marks(script, p);
            fprintf(script, "'");
        } else
            fprintf(script, "%g", seen ? cell == LEAST ? p->low : p->high : 0);
        free(text);
    }
    fprintf(script, "]\n");
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
           const Panel *panels, int count, const double *xs, int places)
{
    char *plain = title_of(o, whose, panels, count);
    figure_text(f, "title", plain);
    free(plain);
    bool over_steps = !strcmp(o->x, "step");
    Values labels = labels_given(o);
    figure_text(f, "by", strcmp(o->by, "variant") ? o->by : "");
    figure_words(f, "series", series->text, series->count);
    figure_text(f, "xlabel", labels.count ? labels.text[0] : axis_title(o->x));
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
    put_array(f->script, "titles", panels, count, TITLES, NULL, o);
    put_array(f->script, "ylabels", panels, count, LABELS, y, o);
    put_array(f->script, "logs", panels, count, LOGS, NULL, o);
    put_array(f->script, "shares", panels, count, SHARES, NULL, o);
    put_array(f->script, "least", panels, count, LEAST, NULL, o);
    put_array(f->script, "most", panels, count, MOST, NULL, o);
    put_array(f->script, "marks", panels, count, MARKS, NULL, o);
    values_free(&labels);
}
