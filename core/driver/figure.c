/* figure.c - what is drawn of an experiment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "fail.h"
#include "figure.h"
#include "statistics.h"
#include "words.h"

enum { MOST_CURVES = 7 };

static bool
in_series(const Run *r, const char *by, const char *value)
{
    char text[VALUE_SIZE];
    run_setting(r, by, text);
    return !strcmp(text, value);
}

/* A quantity in words, for an axis. */
static const char *
axis_title(const char *quantity)
{
    static const char *const known[][2] = {
        {"loss", "training loss (nats)"},
        {"accuracy", "training accuracy"},
        {"validation_loss", "validation loss (nats)"},
        {"validation_accuracy", "validation accuracy"},
        {"test_loss", "test loss (nats)"},
        {"test_accuracy", "test accuracy"},
        {"attention_parameters", "parameters of attention"},
        {"solved_at", "steps to the threshold"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(quantity, known[i][0]))
            return known[i][1];
    return quantity;
}

static void
put_mean(FILE *data, Mean m)
{
    char n[3][32];
    fprintf(data, "\t%s\t%s\t%s", number_text(m.mean, 6, n[0]),
            number_text(m.low, 6, n[1]), number_text(m.high, 6, n[2]));
}

/* The place of `quantity` among names; exits (2) with those there are. */
static int
place_of(const char *quantity, char *const *names, int count, int apart)
{
    char list[1024] = "";
    for (int i = 0; i < count; i++) {
        size_t n = strlen(list);
        if (!strcmp(names[i * apart], quantity))
            return i;
        snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "",
                 names[i * apart]);
    }
    usage("--y \"%s\": nobody logged it; there are: %s", quantity, list);
}

/* Checks the quantities before any file is touched. */
static void
check_quantities(const Options *o, const Run *runs, int count, bool over_steps)
{
    Values ys = values_cut(o->y);
    for (int i = 0; i < count; i++)
        for (int y = 0; y < ys.count; y++) {
            const Table *log = &runs[i].log, *result = &runs[i].result;
            if (over_steps) /* the first column is the step */
                place_of(ys.text[y], log->cells + 1, log->cols - 1, 1);
            else /* the first two lines are the names and the status */
                place_of(ys.text[y], result->cells + 2 * result->cols,
                         result->rows - 1, result->cols);
        }
    values_free(&ys);
}

/* The mean over a series' runs of a quantity at row `row` of their logs; no
   number where one of them ended before. */
static Mean
mean_at(const Group *g, const char *by, const char *series, int row,
        const char *quantity)
{
    double *x = allocate((size_t)g->count, sizeof *x);
    int n = 0;
    for (int i = 0; i < g->count; i++) {
        const Run *r = g->runs[i];
        if (!in_series(r, by, series))
            continue;
        x[n++] = row < r->log.rows
                     ? table_number(&r->log, row,
                                    table_column(&r->log, quantity), r->path)
                     : NAN;
    }
    Mean m = bootstrap(x, n);
    free(x);
    return m;
}

/* The longest log of a series. */
static const Run *
longest(const Group *g, const char *by, const char *series)
{
    const Run *best = NULL;
    for (int i = 0; i < g->count; i++)
        if (in_series(g->runs[i], by, series) &&
            (!best || g->runs[i]->log.rows > best->log.rows))
            best = g->runs[i];
    return best;
}

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
    int *seeds = allocate((size_t)g->count, sizeof *seeds), n = 0, apart = 0;
    for (int i = 0; i < g->count; i++)
        if (in_series(g->runs[i], by, series))
            seeds[n++] = g->runs[i]->config.seed;
    qsort(seeds, (size_t)n, sizeof *seeds, by_seed);
    for (int i = 0; i < n; i++)
        apart += i == 0 || seeds[i] != seeds[i - 1];
    free(seeds);
    return apart;
}

/* Seeds in the smallest and the largest series, "5" or "3 to 5". */
static void
seeds_text(const Group *g, const char *by, char text[32])
{
    int least = g->count, most = 0;
    for (int s = 0; s < g->series.count; s++) {
        int n = seeds_in(g, by, g->series.text[s]);
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (least == most)
        snprintf(text, 32, "%d", most);
    else
        snprintf(text, 32, "%d to %d", least, most);
}

/* The title that a figure has unless the user gives one, its size and its
   series, for the script. */
static void
script_head(Figure *f, const Options *o, const Group *g, int from, int to)
{
    char seeds[32], *title, *plain;
    seeds_text(g, o->by, seeds);
    plain = o->title ? copy_text(o->title)
            : !strcmp(seeds, "1")
                ? format_text("%s: one seed", g->name)
                : format_text("%s: mean of %s seeds and its 95%% bootstrap "
                              "interval",
                              g->name, seeds);
    title = quoted(plain, "''");
    fprintf(f->script, "title = %s\n", title);
    free(title);
    free(plain);
    fprintf(f->script, "by = '%s'\nseries = '",
            strcmp(o->by, "variant") ? o->by : "");
    for (int s = from; s < to; s++)
        fprintf(f->script, "%s%s", s > from ? " " : "", g->series.text[s]);
    fprintf(f->script, "'\n");
}

/* Levels to compare a curve with: those that all runs of the group share. */
static void
put_marks(Figure *f, const Group *g, const char *quantity)
{
    static const char *const marks[][2] = {{"chance_loss", "guessing"},
                                           {"unigram_loss", "unigram"},
                                           {"bigram_loss", "bigram"},
                                           {"cheat", "cheat"}};
    bool loss = strstr(quantity, "loss") != NULL;
    fprintf(f->script, "'");
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        bool of_loss = strstr(marks[i][0], "loss") != NULL, same = true;
        double level = run_number(g->runs[0], marks[i][0]);
        for (int k = 1; k < g->count; k++)
            same &= !strcmp(run_text(g->runs[k], marks[i][0]),
                            run_text(g->runs[0], marks[i][0]));
        if (loss == of_loss && same && !isnan(level))
            fprintf(f->script, "%.6g %s ", level, marks[i][1]);
    }
    fprintf(f->script, "'");
}

/* The data of curves from..to - 1; the range of each quantity in low, high. */
static void
put_curves(Figure *f, const Options *o, const Group *g, const Values *ys,
           int from, int to, double *low, double *high)
{
    fprintf(f->data, "series\tstep");
    for (int y = 0; y < ys->count; y++)
        fprintf(f->data, "\t%s\t%s_low\t%s_high", ys->text[y], ys->text[y],
                ys->text[y]);
    fprintf(f->data, "\n");
    for (int s = from; s < to; s++) {
        const Run *all = longest(g, o->by, g->series.text[s]);
        for (int row = 0; row < all->log.rows; row++) {
            fprintf(f->data, "%s\t%s", g->series.text[s],
                    table_cell(&all->log, row, 0));
            for (int y = 0; y < ys->count; y++) {
                Mean m = mean_at(g, o->by, g->series.text[s], row, ys->text[y]);
                put_mean(f->data, m);
                if (!isfinite(m.mean))
                    continue;
                low[y] = m.mean < low[y] ? m.mean : low[y];
                high[y] = m.mean > high[y] ? m.mean : high[y];
            }
            fprintf(f->data, "\n");
        }
    }
}

static bool
curves(const Options *o, const Group *g, const char *directory, int from,
       int to)
{
    Values ys = values_cut(o->y);
    double *low = allocate((size_t)ys.count, sizeof *low);
    double *high = allocate((size_t)ys.count, sizeof *high);
    for (int y = 0; y < ys.count; y++)
        low[y] = INFINITY;
    char *name = from || to < g->series.count
                     ? format_text("curves-%s-%d", g->name, from / MOST_CURVES)
                     : format_text("curves-%s", g->name);
    Figure f = figure_begin(directory, name);
    put_curves(&f, o, g, &ys, from, to, low, high);
    int seen = 0;
    for (int y = 0; y < ys.count; y++) {
        seen += isfinite(low[y]);
        low[y] = isfinite(low[y]) ? low[y] : 0;
    }
    if (!seen) {
        figure_drop(&f, "its runs diverged");
        values_free(&ys);
        free(low);
        free(high);
        free(name);
        return true;
    }
    script_head(&f, o, g, from, to);
    fprintf(f.script, "width = %d\nys = '",
            ys.count == 1 ? 600 : 170 + 365 * ys.count);
    for (int y = 0; y < ys.count; y++)
        fprintf(f.script, "%s%s", y ? " " : "", ys.text[y]);
    fprintf(f.script, "'\narray ylabels[%d] = [", ys.count);
    for (int y = 0; y < ys.count; y++)
        fprintf(f.script, "%s'%s'", y ? ", " : "", axis_title(ys.text[y]));
    fprintf(f.script, "]\narray logs[%d] = [", ys.count);
    for (int y = 0; y < ys.count; y++)
        fprintf(f.script, "%s%d", y ? ", " : "",
                low[y] > 0 && high[y] > 30 * low[y]);
    fprintf(f.script, "]\narray least[%d] = [", ys.count);
    for (int y = 0; y < ys.count; y++)
        fprintf(f.script, "%s%g", y ? ", " : "", low[y]);
    fprintf(f.script, "]\narray most[%d] = [", ys.count);
    for (int y = 0; y < ys.count; y++)
        fprintf(f.script, "%s%g", y ? ", " : "", high[y]);
    fprintf(f.script, "]\narray marks[%d] = [", ys.count);
    for (int y = 0; y < ys.count; y++) {
        fprintf(f.script, "%s", y ? ", " : "");
        put_marks(&f, g, ys.text[y]);
    }
    fprintf(f.script, "]\n");
    values_free(&ys);
    free(low);
    free(high);
    free(name);
    return figure_end(&f, "curves", o);
}

/* The values of setting x in a group, rising; returns how many. */
static int
values_of(const Group *g, const char *x, double *values)
{
    int n = 0;
    for (int i = 0; i < g->count; i++) {
        char text[VALUE_SIZE];
        if (setting_unused(setting_named(x), &g->runs[i]->config))
            continue;
        run_setting(g->runs[i], x, text);
        double v = strtod(text, NULL);
        int k = 0;
        while (k < n && values[k] < v)
            k++;
        if (k < n && values[k] == v)
            continue;
        memmove(values + k + 1, values + k, (size_t)(n - k) * sizeof *values);
        values[k] = v;
        n++;
    }
    return n;
}

/* Has the run x at v? A variant that does not use x has it everywhere. */
static bool
at_value(const Run *r, const char *x, double v)
{
    char text[VALUE_SIZE];
    run_setting(r, x, text);
    return setting_unused(setting_named(x), &r->config) ||
           strtod(text, NULL) == v;
}

/* The mean of a result over the runs of a series at one x. A seed that never
   reached the threshold has no number of steps. */
static Mean
mean_against(const Options *o, const Group *g, const char *series, double x,
             const char *y)
{
    double *found = allocate((size_t)g->count, sizeof *found);
    int n = 0;
    for (int i = 0; i < g->count; i++) {
        const Run *r = g->runs[i];
        if (!in_series(r, o->by, series) || !at_value(r, o->x, x))
            continue;
        found[n] = run_number(r, y);
        if (!strcmp(y, "solved_at") && found[n] == 0)
            found[n] = NAN;
        n++;
    }
    Mean m = bootstrap(found, n);
    free(found);
    return m;
}

static bool
against(const Options *o, const Group *g, const char *y, const char *directory)
{
    double *values = allocate((size_t)g->count + 1, sizeof *values);
    double low = INFINITY, high = 0;
    int count = values_of(g, o->x, values);
    char *name = format_text("%s-%s-%s", y, o->x, g->name);
    Figure f = figure_begin(directory, name);
    fprintf(f.data, "series\t%s\t%s\t%s_low\t%s_high\n", o->x, y, y, y);
    for (int s = 0; s < g->series.count; s++)
        for (int v = 0; v < count; v++) {
            Mean m = mean_against(o, g, g->series.text[s], values[v], y);
            fprintf(f.data, "%s\t%.10g", g->series.text[s], values[v]);
            put_mean(f.data, m);
            fprintf(f.data, "\n");
            if (!isfinite(m.mean))
                continue;
            low = m.mean < low ? m.mean : low;
            high = m.mean > high ? m.mean : high;
        }
    if (!isfinite(low)) {
        figure_drop(&f, !strcmp(y, "solved_at")
                            ? "no run reached the threshold"
                            : "none of its numbers is finite");
        free(values);
        free(name);
        return true;
    }
    script_head(&f, o, g, 0, g->series.count);
    fprintf(f.script, "xlabel = '%s'\nylabel = '%s'\nxs = '", o->x,
            axis_title(y));
    for (int v = 0; v < count; v++)
        fprintf(f.script, "%s%.10g", v ? " " : "", values[v]);
    fprintf(f.script, "'\nlog_x = %d\nlog_y = %d\nwidth = 640\n",
            count > 1 && values[0] > 0 && values[count - 1] >= 8 * values[0],
            low > 0 && high > 30 * low);
    free(values);
    free(name);
    return figure_end(&f, "against", o);
}

void
without_gnuplot(const char *directory)
{
    note("%s: data and scripts are there, but gnuplot is not installed: "
         "`make deps` brings it; then `qkv plot`, or gnuplot on a .gp there, "
         "draws them",
         directory);
}

void
figures_draw(const Options *o, const Run *runs, int count,
             const char *directory)
{
    int groups;
    bool over_steps = !strcmp(o->x, "step"), drawn = true;
    check_quantities(o, runs, count, over_steps);
    Group *g = groups_of(runs, count, o->by, over_steps ? NULL : o->x, &groups);
    Values ys = values_cut(o->y);
    for (int i = 0; i < groups; i++) {
        for (int from = 0; over_steps && from < g[i].series.count;
             from += MOST_CURVES) {
            int to = from + MOST_CURVES;
            drawn &= curves(o, &g[i], directory, from,
                            to < g[i].series.count ? to : g[i].series.count);
        }
        for (int y = 0; !over_steps && y < ys.count; y++)
            drawn &= against(o, &g[i], ys.text[y], directory);
    }
    values_free(&ys);
    groups_free(g, groups);
    if (!drawn)
        without_gnuplot(directory);
}
