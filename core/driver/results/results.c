/* results.c - the table of an experiment's results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "task/task.h"
#include "driver/results/results.h"

/* "0.997", or "nan". */
static const char *
fixed(double x, char text[32])
{
    if (isnan(x))
        return number_text(x, 3, text);
    snprintf(text, 32, "%.3f", x);
    return text;
}

/* Where rates were chosen, the rate stands in place of all parameters. */
static void
add_row(Sheet *sheet, const Outcomes *all, const Outcome *a)
{
    char digits[4][32];
    sheet_add(sheet, "%s\t%.0f", a->series, a->attention);
    if (all->rates > 1)
        sheet_add(sheet, "%.10g", a->lr);
    else
        sheet_add(sheet, "%.0f", a->parameters);
    if (a->runs[0]->config.steps > 0)
        sheet_add(sheet, "%d/%d\t%s", a->solved, a->seeds, a->steps);
    else
        sheet_add(sheet, "-\t-");
    const char *mean = fixed(a->accuracy.mean, digits[0]);
    if (a->seeds > 1)
        sheet_add(sheet, "%s [%s, %s]", mean, fixed(a->accuracy.low, digits[1]),
                  fixed(a->accuracy.high, digits[2]));
    else
        sheet_add(sheet, "%s", mean);
    sheet_add(sheet, "%s", number_text(a->loss.mean, 3, digits[3]));
}

/* The most seeds of one of them. */
static int
most_seeds(const Outcomes *all)
{
    int most = 0;
    for (int i = 0; i < all->count; i++)
        most = all->list[i].seeds > most ? all->list[i].seeds : most;
    return most;
}

static void
add_head(Sheet *sheet, const Outcomes *all, const Group *g)
{
    sheet_add(sheet,
              "variant\tattention\t%s\tsolved\tsteps\ttest %s%s\ttest loss",
              all->rates > 1 ? "rate" : "of all",
              task_measure(task_named(g->runs[0]->config.task)),
              most_seeds(all) < 2                ? ""
              : most_seeds(all) < INTERVAL_SEEDS ? " [range]"
                                                 : " [95%]");
}

Sheet
results_sheet(const Outcomes *all, const Group *g)
{
    Sheet sheet = {.cols = 7};
    add_head(&sheet, all, g);
    for (int i = 0; i < all->count; i++)
        if (all->list[i].group == g)
            add_row(&sheet, all, &all->list[i]);
    return sheet;
}

char *
levels_text(const Group *g)
{
    const Run *r = g->runs[0];
    const Task *t = task_named(r->config.task);
    char *more =
        isnan(run_number(r, "bigram_loss"))
            ? copy_text("")
            : format_text(", of counting characters %.2f, pairs of them %.2f "
                          "(validation)",
                          run_number(r, "unigram_loss"),
                          run_number(r, "bigram_loss"));
    char *text =
        format_text("%s: guessing has %s %.2f,\n%s %.2f; loss of guessing "
                    "%.2f%s",
                    g->name, task_measure(t), run_number(r, "chance"), t->cheat,
                    run_number(r, "cheat"), run_number(r, "chance_loss"), more);
    free(more);
    return text;
}

/* "no difference detected at 5 seeds:", then those of which that is true, for
   each number of seeds that follow each other. */
static void
put_alike(FILE *to, const Outcomes *all, const Group *g, const char *indent)
{
    int seeds = 0, from = (int)strlen(indent) + 4;
    char *names = copy_text("");
    for (int i = 0; i <= all->count; i++) {
        const Outcome *a = i < all->count ? &all->list[i] : NULL;
        if (a && (a->group != g || !outcome_compared(a) || verdict(all, a)))
            continue;
        if (*names && (!a || a->against.n != seeds)) {
            fprintf(to, "%s  no difference detected at %d seeds:\n", indent,
                    seeds);
            print_folded(to, 0, from, 79, names);
            replace(&names, copy_text(""));
        }
        if (a)
            replace(&names, format_text("%s%s%s", names, *names ? ", " : "",
                                        a->series));
        seeds = a ? a->against.n : 0;
    }
    free(names);
}

/* What is judged; accuracy by its own name where answers are numbers. */
static const char *
judged_words(const Outcomes *all, const Group *g)
{
    const Task *t = task_named(g->runs[0]->config.task);
    return !strcmp(all->judged, "test_accuracy") &&
                   strcmp(task_measure(t), "accuracy")
               ? "test R^2"
               : all->judged;
}

/* Those that could not be held against it, each with the reason. */
static void
put_others(FILE *to, const Outcomes *all, const Group *g, const char *indent)
{
    char words[VERDICT_SIZE];
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        if (a->group != g || outcome_compared(a) || a->against.n < 2)
            continue;
        verdict_text(all, a, words);
        fprintf(to, "%s  %s: %s\n", indent, a->series, words);
    }
}

char *
verdicts_text(const Outcomes *all, const Group *g, const char *indent)
{
    char *text, words[VERDICT_SIZE], p[32];
    bool any = false;
    FILE *to = begin_text(&text);
    for (int i = 0; i < all->count; i++)
        any |= all->list[i].group == g && all->list[i].against.n > 1;
    if (any)
        fprintf(to, "%sagainst %s, in %s:\n", indent, all->baseline,
                judged_words(all, g));
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        if (a->group != g || !verdict(all, a))
            continue;
        verdict_text(all, a, words);
        fprintf(to, "%s  %s: %s (p = %s)\n", indent, a->series, words,
                number_text(a->against.p, 2, p));
    }
    put_alike(to, all, g, indent);
    put_others(to, all, g, indent);
    end_text(to, &text);
    return text;
}

/* One table of all, for other programs: a line for each task and variant. */
static void
print_whole(const Outcomes *all, Layout layout)
{
    Sheet sheet = {.cols = 16};
    sheet_add(&sheet,
              "task\tvariant\tattention_parameters\tparameters\tsolved\t"
              "median_steps\ttest_accuracy\tlow\thigh\ttest_loss\trate\t"
              "difference\tp_adjusted\tverdict\tloss_low\tloss_high");
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        char n[8][32], words[VERDICT_SIZE];
        verdict_text(all, a, words);
        sheet_add(
            &sheet,
            "%s\t%s\t%.0f\t%.0f\t%d/%d\t%s\t%s\t%s\t%s\t%s\t%.10g\t%s\t%s\t"
            "%s\t%s\t%s",
            a->group->name, a->series, a->attention, a->parameters, a->solved,
            a->seeds, a->steps, fixed(a->accuracy.mean, n[0]),
            fixed(a->accuracy.low, n[1]), fixed(a->accuracy.high, n[2]),
            number_text(a->loss.mean, 3, n[3]), a->lr,
            number_text(a->against.difference, 3, n[4]),
            number_text(a->against.p, 3, n[5]), words,
            number_text(a->loss.low, 3, n[6]),
            number_text(a->loss.high, 3, n[7]));
    }
    sheet_print(&sheet, layout);
}

char *
notes_text(const Outcomes *all)
{
    const Run *first = all->groups[0].runs[0];
    char tests[128] = "";
    if (all->comparisons)
        snprintf(tests, sizeof tests,
                 " Differences are paired by seed: t test, p after Holm over "
                 "%s%d comparison%s.",
                 all->comparisons > 1 ? "all " : "", all->comparisons,
                 all->comparisons > 1 ? "s" : "");
    return format_text(
        "attention: its parameters, in all blocks; steps: the median seed's "
        "first with %s at %.10g over 10 batches (> where that seed never had "
        "it)%s.%s%s",
        task_measure(task_named(first->config.task)), first->config.threshold,
        most_seeds(all) < 2                ? ""
        : most_seeds(all) < INTERVAL_SEEDS ? "; in brackets: the smallest and "
                                             "the largest of the seeds"
                                           : "; in brackets: the 95% bootstrap "
                                             "interval of the mean over seeds, "
                                             "too narrow where they are few",
        all->rates > 1 ? " rate: each variant's best learning rate of those "
                         "tried, chosen on validation data."
                       : "",
        tests);
}

void
results_print(const Outcomes *all, Layout layout)
{
    if (layout != ALIGNED) {
        print_whole(all, layout);
        return;
    }
    for (int g = 0; g < all->group_count; g++) {
        char *levels = levels_text(&all->groups[g]);
        char *verdicts = verdicts_text(all, &all->groups[g], "");
        Sheet sheet = results_sheet(all, &all->groups[g]);
        printf("\n%s\n", levels);
        sheet_print(&sheet, ALIGNED);
        printf("%s", verdicts);
        free(levels);
        free(verdicts);
    }
    char *notes = notes_text(all);
    printf("\n");
    print_folded(stdout, 0, 0, 78, notes);
    free(notes);
}
