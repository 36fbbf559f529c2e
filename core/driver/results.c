/* results.c - the table of an experiment's results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "print.h"
#include "results.h"
#include "statistics.h"
#include "task.h"

/* A series' values of one result; returns how many. */
static int
collect(const Group *g, const char *series, const char *key, double *x)
{
    int n = 0;
    for (int i = 0; i < g->count; i++) {
        char value[VALUE_SIZE];
        run_setting(g->runs[i], "variant", value);
        if (!strcmp(value, series))
            x[n++] = run_number(g->runs[i], key);
    }
    return n;
}

void
steps_text(double *x, int n, int steps, char text[32])
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] > 0 ? x[i] : INFINITY;
    double m = median(x, n);
    if (isinf(m))
        snprintf(text, 32, ">%d", steps);
    else
        snprintf(text, 32, "%.10g", m);
}

/* "0.997", or "nan". */
static const char *
fixed(double x, char text[32])
{
    if (isnan(x))
        return number_text(x, 3, text);
    snprintf(text, 32, "%.3f", x);
    return text;
}

static void
add_row(Sheet *sheet, const Group *g, const char *series, bool tsv)
{
    double *x = allocate((size_t)g->count, sizeof *x);
    char steps[32], digits[4][32];
    int n = collect(g, series, "solved_at", x), solved = 0;
    for (int i = 0; i < n; i++)
        solved += x[i] > 0;
    steps_text(x, n, g->runs[0]->config.steps, steps);
    if (tsv)
        sheet_add(sheet, "%s", g->name);
    sheet_add(sheet, "%s", series);
    collect(g, series, "attention_parameters", x);
    sheet_add(sheet, "%.0f", x[0]);
    collect(g, series, "parameters", x);
    sheet_add(sheet, "%.0f", x[0]);
    sheet_add(sheet, "%d/%d", solved, n);
    sheet_add(sheet, "%s", steps);
    collect(g, series, "test_accuracy", x);
    Mean m = bootstrap(x, n);
    sheet_add(sheet, tsv ? "%s\t%s\t%s" : "%s [%s, %s]",
              fixed(m.mean, digits[0]), fixed(m.low, digits[1]),
              fixed(m.high, digits[2]));
    collect(g, series, "test_loss", x);
    sheet_add(sheet, "%s", number_text(bootstrap(x, n).mean, 3, digits[3]));
    free(x);
}

static void
add_head(Sheet *sheet, bool tsv)
{
    if (tsv)
        sheet_add(sheet, "task");
    sheet_add(sheet, "variant");
    sheet_add(sheet, tsv ? "attention_parameters" : "attention");
    sheet_add(sheet, tsv ? "parameters" : "of all");
    sheet_add(sheet, "solved");
    sheet_add(sheet, tsv ? "median_steps" : "steps");
    sheet_add(sheet, tsv ? "test_accuracy\tlow\thigh" : "test accuracy [95%%]");
    sheet_add(sheet, tsv ? "test_loss" : "test loss");
}

/* What the numbers of a group are to be held against. */
static void
print_levels(const Group *g)
{
    const Run *r = g->runs[0];
    printf("\n%s: guessing is right %.2f of the time,\n%s %.2f; loss of "
           "guessing %.2f",
           g->name, run_number(r, "chance"), task_named(r->config.task)->cheat,
           run_number(r, "cheat"), run_number(r, "chance_loss"));
    if (!isnan(run_number(r, "bigram_loss")))
        printf(", of counting characters %.2f, pairs of them %.2f (validation)",
               run_number(r, "unigram_loss"), run_number(r, "bigram_loss"));
    printf("\n");
}

void
results_print(const Options *o, const Run *runs, int count)
{
    int groups;
    bool tsv = wants_tsv(o->tsv);
    Group *g = groups_of(runs, count, "variant", NULL, &groups);
    Sheet sheet = {.cols = tsv ? 8 : 7};
    for (int i = 0; i < groups; i++) {
        if (!tsv)
            print_levels(&g[i]);
        if (i == 0 || !tsv)
            add_head(&sheet, tsv);
        for (int s = 0; s < g[i].series.count; s++)
            add_row(&sheet, &g[i], g[i].series.text[s], tsv);
        if (!tsv || i == groups - 1)
            sheet_print(&sheet, tsv);
    }
    if (!tsv)
        printf("\nattention: its parameters, in all blocks; steps: the median "
               "seed's "
               "first with\naccuracy %.2f over 10 batches (> where that seed "
               "never had it); in brackets:\nthe 95%% bootstrap interval of "
               "the mean over seeds.\n",
               runs[0].config.threshold);
    groups_free(g, groups);
}
