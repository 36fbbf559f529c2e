/* results.c - the table of an experiment's results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "task/task.h"
#include "driver/results/results.h"

/* The most seeds of a variant. */
static int
most_seeds(const Outcomes *all)
{
    int most = 0;
    for (int i = 0; i < all->count; i++)
        most = all->list[i].seeds > most ? all->list[i].seeds : most;
    return most;
}

/* "accuracy", or "R^2" where answers are numbers. */
static const char *
measure_of(const Group *g)
{
    return task_measure(task_named(g->runs[0]->config.task));
}

static void
add_row(Sheet *sheet, const Outcomes *all, const Outcome *a)
{
    char solved[32] = "-", steps[32] = "-", verdict[VERDICT_SIZE];
    bool trained = a->runs[0]->config.steps > 0;
    verdict_text(all, a, verdict);
    snprintf(solved, sizeof solved, "%d/%d", a->solved, a->seeds);
    snprintf(steps, sizeof steps, "%s%.10g", a->beyond ? ">" : "", a->steps);
    sheet_row(sheet, cell_words(a->group->name), cell_words(a->series),
              cell_number(a->attention), cell_number(a->parameters),
              cell_number(a->lr),
              trained ? cell_shown(a->solved, solved) : cell_number(NAN),
              trained ? cell_shown(a->beyond ? NAN : a->steps, steps)
                      : cell_number(NAN),
              a->seeds > 1 ? cell_interval(a->accuracy)
                           : cell_number(a->accuracy.mean),
              cell_number(a->accuracy.mean), cell_number(a->accuracy.low),
              cell_number(a->accuracy.high), cell_number(a->loss.mean),
              cell_number(a->lr), cell_number(a->against.difference),
              cell_number(a->against.p), cell_words(verdict),
              cell_number(a->loss.low), cell_number(a->loss.high),
              cell_number(a->seeds));
}

/* Of one group, or of all where it is NULL. People see the rates where there
   were some to choose from, else the parameters of the whole model. */
static Sheet
results_sheet(const Outcomes *all, const Group *g)
{
    bool rates = all->rates > 1;
    char *accuracy = format_text("test %s%s", measure_of(g ? g : all->groups),
                                 most_seeds(all) < 2                ? ""
                                 : most_seeds(all) < INTERVAL_SEEDS ? " [range]"
                                                                    : " [95%]");
    const Column columns[] = {
        {"task", .words = true, .readers = PROGRAMS},
        {"variant", .words = true},
        {"attention_parameters", .title = "attention"},
        {"parameters", .title = "of all",
         .readers = rates ? PROGRAMS : EVERYBODY},
        {"rate", .readers = rates ? PEOPLE : NOBODY},
        {.name = "solved"},
        {"median_steps", .title = "steps"},
        {"accuracy", .title = interned(accuracy), .format = "%.3f",
         .readers = PEOPLE},
        {"test_accuracy", .format = "%.3f", .readers = PROGRAMS},
        {"low", .format = "%.3f", .readers = PROGRAMS},
        {"high", .format = "%.3f", .readers = PROGRAMS},
        {"test_loss", .title = "test loss", .format = "%.3g"},
        {"rate", .readers = PROGRAMS},
        {"difference", .format = "%.3g", .readers = PROGRAMS},
        {"p_adjusted", .format = "%.3g", .readers = PROGRAMS},
        {"verdict", .words = true, .readers = PROGRAMS},
        {"loss_low", .format = "%.3g", .readers = PROGRAMS},
        {"loss_high", .format = "%.3g", .readers = PROGRAMS},
        {"seeds", .readers = PROGRAMS}};
    Sheet sheet = sheet_of(columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < all->count; i++)
        if (!g || all->list[i].group == g)
            add_row(&sheet, all, &all->list[i]);
    free(accuracy);
    return sheet;
}

/* What a group's numbers are to be compared with: what guessing reaches, and
   what a trivial baseline. */
static void
write_levels(FILE *to, const Group *g, Layout layout)
{
    const Run *r = g->runs[0];
    char *more =
        isnan(run_number(r, "bigram_loss"))
            ? copy_text("")
            : format_text("; counting characters has loss %.2f, pairs of them "
                          "%.2f (validation)",
                          run_number(r, "unigram_loss"),
                          run_number(r, "bigram_loss"));
    char *text = format_text(
        "%s: guessing has %s %.2f (loss %.2f), %s %.2f%s", g->name,
        measure_of(g), run_number(r, "chance"), run_number(r, "chance_loss"),
        task_named(r->config.task)->trivial, run_number(r, "trivial"), more);
    words_below(to, text, layout);
    free(more);
    free(text);
}

/* "no difference detected at 5 seeds: fused, mqa", for each number of seeds
   that variants which follow each other have. */
static void
write_undecided(FILE *to, const Outcomes *all, const Group *g, Layout layout)
{
    int seeds = 0;
    char *text = NULL;
    for (int i = 0; i <= all->count; i++) {
        const Outcome *a = i < all->count ? &all->list[i] : NULL;
        if (a && (a->group != g || !outcome_compared(a) || verdict(all, a)))
            continue;
        if (text && (!a || a->against.n != seeds)) {
            item_write(to, text, layout);
            replace(&text, NULL);
        }
        if (a)
            replace(&text,
                    text ? format_text("%s, %s", text, a->series)
                         : format_text("no difference detected at %d seeds: %s",
                                       a->against.n, a->series));
        seeds = a ? a->against.n : 0;
    }
}

/* "two-step: better by 0.012 (p = 0.01)", of those that are; or "mqa: runs
   diverged", of those that could not be compared. */
static void
write_others(FILE *to, const Outcomes *all, const Group *g, bool compared,
             Layout layout)
{
    char words[VERDICT_SIZE], p[32];
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        if (a->group != g || outcome_compared(a) != compared ||
            (compared ? !verdict(all, a) : a->against.n < 2))
            continue;
        verdict_text(all, a, words);
        number_text(a->against.p, 2, p);
        char *line = compared
                         ? format_text("%s: %s (p = %s)", a->series, words, p)
                         : format_text("%s: %s", a->series, words);
        item_write(to, line, layout);
        free(line);
    }
}

/* A blank line that Markdown wants around a table or a list. */
static void
write_gap(FILE *to, Layout layout)
{
    fputs(layout == MARKDOWN ? "\n" : "", to);
}

static void
write_verdicts(FILE *to, const Outcomes *all, const Group *g, Layout layout)
{
    bool any = false, r2 = !strcmp(all->judged, "test_accuracy") &&
                           strcmp(measure_of(g), "accuracy");
    for (int i = 0; i < all->count; i++)
        any |= all->list[i].group == g && all->list[i].against.n > 1;
    if (!any)
        return;
    char *head = format_text("against %s, in %s:", all->baseline,
                             r2 ? "test R^2" : all->judged);
    words_write(to, head, layout);
    write_gap(to, layout);
    write_others(to, all, g, true, layout);
    write_undecided(to, all, g, layout);
    write_others(to, all, g, false, layout);
    free(head);
}

/* What the columns and the verdicts mean. */
static void
write_notes(FILE *to, const Outcomes *all, Layout layout)
{
    const Run *first = all->groups[0].runs[0];
    int seeds = most_seeds(all);
    char *tests =
        all->comparisons
            ? format_text(" Differences are paired by seed: t test, p after "
                          "Holm over %s%d comparison%s.",
                          all->comparisons > 1 ? "all " : "", all->comparisons,
                          all->comparisons > 1 ? "s" : "")
            : copy_text("");
    char *notes = format_text(
        "attention: its parameters, in all blocks; steps: the median seed's "
        "first with %s at %.10g over 10 batches (> where that seed never had "
        "it)%s.%s%s",
        measure_of(all->groups), first->config.threshold,
        seeds < 2                ? ""
        : seeds < INTERVAL_SEEDS ? "; in brackets: the smallest and the "
                                   "largest of the seeds"
                                 : "; in brackets: the 95% bootstrap interval "
                                   "of the mean over seeds, too narrow where "
                                   "they are few",
        all->rates > 1 ? " rate: each variant's best learning rate of those "
                         "tried, chosen on validation data."
                       : "",
        tests);
    words_below(to, notes, layout);
    free(notes);
    free(tests);
}

void
results_write(FILE *to, const Outcomes *all, Layout layout)
{
    if (!for_people(layout)) {
        Sheet sheet = results_sheet(all, NULL);
        sheet_write(to, &sheet, layout);
        sheet_free(&sheet);
        return;
    }
    for (int g = 0; g < all->group_count; g++) {
        Sheet sheet = results_sheet(all, &all->groups[g]);
        write_levels(to, &all->groups[g], layout);
        write_gap(to, layout);
        sheet_write(to, &sheet, layout);
        write_verdicts(to, all, &all->groups[g], layout);
        sheet_free(&sheet);
    }
    write_notes(to, all, layout);
}
