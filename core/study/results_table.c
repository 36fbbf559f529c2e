/* results_table.c - the table of an experiment's results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/tasks.h"
#include "study/quantity.h"
#include "study/results_table.h"
#include "heart/fail.h"

/* The most seeds of a variant. */
static int
most_seeds(const Outcomes *all)
{
    int most = 0;
    for (int i = 0; i < all->count; i++)
        most = all->list[i].seeds > most ? all->list[i].seeds : most;
    return most;
}

/* Is it known of any how many parameters are real? */
static bool
any_counted(const Outcomes *all)
{
    bool any = false;
    for (int i = 0; i < all->count; i++)
        any |= all->list[i].real >= 0;
    return any;
}

/* "accuracy", or "R^2" where answers are numbers. */
static const char *
measure_of(const Group *g)
{
    return task_measure(task_named(g->runs[0]->config.task));
}

/* Of all groups: "accuracy or R^2". */
static const char *
measures_of(const Outcomes *all)
{
    const char *one = measure_of(all->groups), *kept = one;
    for (int g = 1; g < all->group_count && kept == one; g++)
        if (strcmp(one, measure_of(&all->groups[g]))) {
            char *both =
                format_text("%s or %s", one, measure_of(&all->groups[g]));
            kept = interned(both);
            free(both);
        }
    return kept;
}

/* Leaves out of a verdict what stands beside it: "undecided at 5 seeds". */
static void
cut_at(char *words, const char *from)
{
    char *rest = strstr(words, from);
    if (rest)
        *rest = 0;
}

/* "solved_at" as people know it in a word. */
static const char *
brief_name(const Group *g, const char *quantity)
{
    return !strcmp(quantity, "solved_at")       ? "steps"
           : !strcmp(quantity, "test_loss")     ? "loss"
           : !strcmp(quantity, "test_accuracy") ? measure_of(g)
                                                : quantity;
}

/* What the verdicts of a group are about: one quantity, or NULL. */
static const char *
judged_in(const Outcomes *all, const Group *g)
{
    const char *one = NULL;
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        if (a->group != g || !a->judged)
            continue;
        if (one && strcmp(one, a->judged))
            return NULL;
        one = a->judged;
    }
    return one;
}

/* A verdict in a table of a paper: "better", and in what where that differs. */
static void
brief_verdict(const Outcomes *all, const Outcome *a, char text[VERDICT_SIZE])
{
    verdict_text(all, a, text);
    if (!strcmp(a->series, all->baseline))
        snprintf(text, VERDICT_SIZE, "baseline");
    cut_at(text, " at ");
    cut_at(text, " by ");
    cut_at(text, " within ");
    size_t n = strlen(text);
    if (a->judged && !judged_in(all, a->group))
        snprintf(text + n, VERDICT_SIZE - n, " (%s)",
                 brief_name(a->group, a->judged));
}

static void
add_row(Sheet *sheet, const Outcomes *all, const Outcome *a)
{
    char solved[40] = "-", steps[32] = "-";
    char verdict[VERDICT_SIZE], brief[VERDICT_SIZE];
    bool trained = a->runs[0]->config.steps > 0;
    char rate[64], n[32];
    snprintf(rate, sizeof rate, "%s", number_text(a->lr, 10, n));
    if (a->agreed < a->seeds)
        snprintf(rate, sizeof rate, "%s (%d/%d)", n, a->agreed, a->seeds);
    verdict_text(all, a, verdict);
    brief_verdict(all, a, brief);
    if (a->lost)
        snprintf(solved, sizeof solved, "%d/%d, %d lost", a->solved, a->seeds,
                 a->lost);
    else
        snprintf(solved, sizeof solved, "%d/%d", a->solved, a->seeds);
    snprintf(steps, sizeof steps, "%s%.10g", a->beyond ? ">" : "", a->steps);
    sheet_row(
        sheet, cell_words(a->group->name), cell_words(a->series),
        cell_number(a->attention), cell_number(a->real),
        cell_number(a->parameters), cell_shown(a->lr, rate),
        trained ? cell_shown(a->solved, solved) : cell_number(NAN),
        trained ? cell_shown(a->beyond ? NAN : a->steps, steps)
                : cell_number(NAN),
        a->seeds > 1 ? cell_interval(a->accuracy)
                     : cell_number(a->accuracy.mean),
        cell_number(a->accuracy.mean), cell_number(a->accuracy.low),
        cell_number(a->accuracy.high), cell_number(a->loss.mean),
        cell_shown(a->lr, rate), cell_number(a->against.difference),
        cell_number(a->against.differ), cell_words(verdict),
        cell_number(a->loss.low), cell_number(a->loss.high),
        cell_number(a->seeds), cell_words(a->judged),
        cell_number(a->against.low), cell_number(a->against.high),
        cell_number(a->margin), cell_number(a->against.same),
        cell_number(a->detectable), cell_number(a->needed ? a->needed : NAN),
        cell_words(verdict_word(a)), cell_words(brief), cell_number(a->real));
}

/* Is an outcome's verdict about it? */
static bool
is_judged(const Outcomes *all, const Group *g, const char *quantity)
{
    bool any = false;
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        any |=
            (!g || a->group == g) && a->judged && !strcmp(a->judged, quantity);
    }
    return any;
}

/* What a paper's caption says of the steps, and of the verdicts. */
static const char *
meaning_of_steps(const Group *g)
{
    char *text = format_text("the median seed's to %s %.10g", measure_of(g),
                             g->runs[0]->config.threshold);
    const char *kept = interned(text);
    free(text);
    return kept;
}

static const char *
meaning_of_tests(const Outcomes *all, const Group *g)
{
    const char *judged = judged_in(all, g);
    char *text = format_text(
        "against %s%s%s, paired t tests of a difference and of sameness, Holm "
        "over %d comparison%s",
        all->baseline, judged ? " in " : "",
        judged ? brief_name(g, judged) : "", all->comparisons,
        all->comparisons > 1 ? "s" : "");
    const char *kept = interned(text);
    free(text);
    return kept;
}

/* Of one group, or of all where it is NULL. People see the rates where there
   were some to choose from, else the parameters of the whole model; a paper has
   the verdicts, and what they are about. */
static Sheet
results_sheet(const Outcomes *all, const Group *g)
{
    bool rates = all->rates > 1 || all->found;
    int full = !all->comparisons || is_judged(all, g, "test_accuracy") ? 0 : 2;
    int steps = is_judged(all, g, "solved_at") ? 0 : 5;
    int loss = is_judged(all, g, "test_loss") ? 0 : 4;
    const char *of_steps = g ? meaning_of_steps(g) : NULL;
    const char *tests = g ? meaning_of_tests(all, g) : NULL;
    char *accuracy = format_text("test %s%s", measure_of(g ? g : all->groups),
                                 most_seeds(all) < 2                ? ""
                                 : most_seeds(all) < INTERVAL_SEEDS ? " [range]"
                                                                    : " [95%]");
    const Column columns[] = {
        {"task", .words = true, .readers = PROGRAMS},
        {all->by, .words = true},
        {"attention_parameters", .title = "attention", .spare = 1,
         .meaning = "its parameters"},
        {"real", .readers = any_counted(all) ? PEOPLE : NOBODY, .spare = 2,
         .meaning = "of these, those really there"},
        {"parameters", .title = "of all",
         .readers = rates ? PROGRAMS : EVERYBODY, .spare = 6,
         .meaning = "the model's"},
        {"rate", .readers = rates ? PEOPLE : NOBODY, .spare = 3,
         .meaning =
             all->found ? "found on other seeds" : "chosen by the other seeds"},
        {"solved", .spare = 5},
        {"median_steps", .title = "steps", .spare = steps, .meaning = of_steps},
        {"accuracy", .title = interned(accuracy), .format = "%.3f",
         .readers = PEOPLE, .spare = full},
        {"test_accuracy", .format = "%.3f", .readers = PROGRAMS},
        {"low", .format = "%.3f", .readers = PROGRAMS},
        {"high", .format = "%.3f", .readers = PROGRAMS},
        {"test_loss", .title = "test loss", .format = "%.3g", .spare = loss},
        {"rate", .readers = PROGRAMS},
        {"difference", .format = "%.3g", .readers = PROGRAMS},
        {"p_adjusted", .format = "%.3g", .readers = PROGRAMS},
        {"verdict", .words = true, .readers = PROGRAMS},
        {"loss_low", .format = "%.3g", .readers = PROGRAMS},
        {"loss_high", .format = "%.3g", .readers = PROGRAMS},
        {"seeds", .readers = PROGRAMS},
        {"judged", .words = true, .readers = PROGRAMS},
        {"difference_low", .format = "%.3g", .readers = PROGRAMS},
        {"difference_high", .format = "%.3g", .readers = PROGRAMS},
        {"margin", .format = "%.3g", .readers = PROGRAMS},
        {"p_same", .format = "%.3g", .readers = PROGRAMS},
        {"detectable", .format = "%.3g", .readers = PROGRAMS},
        {"seeds_needed", .readers = PROGRAMS},
        {"outcome", .words = true, .readers = PROGRAMS},
        {"verdict", .words = true,
         .readers = all->comparisons ? PAPERS : NOBODY, .meaning = tests},
        {"real_parameters", .readers = PROGRAMS}};
    Sheet sheet = sheet_of(columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < all->count; i++)
        if (!g || all->list[i].group == g)
            add_row(&sheet, all, &all->list[i]);
    free(accuracy);
    return sheet;
}

/* What a group's numbers are to be compared with: what guessing reaches, and
   what a trivial baseline; on test data, as the numbers are, where a file's
   parts differ. To be freed. */
static char *
levels_of(const Group *g, const char *whose)
{
    const Run *r = g->runs[0];
    bool test = run_has(r, test_levels[0]);
    double unigram = run_number(r, test ? test_levels[1] : "unigram_loss");
    double bigram = run_number(r, test ? test_levels[2] : "bigram_loss");
    char *more =
        isnan(bigram)
            ? copy_text("")
            : format_text("; counting characters has loss %.2f, pairs of them "
                          "%.2f%s",
                          unigram, bigram, test ? "" : " (validation)");
    char *text = format_text(
        "%s: guessing has %s %.2f (loss %.2f), %s %.2f%s", whose, measure_of(g),
        run_number(r, "chance"), run_number(r, "chance_loss"),
        task_named(r->config.task)->trivial,
        run_number(r, test ? test_levels[0] : "trivial"), more);
    free(more);
    return text;
}

/* "two-step did best at the highest rate that was tried, 0.04", of a group. */
static void
write_ends(FILE *to, const Outcomes *all, const Group *g, Layout layout)
{
    char n[32];
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        if (a->group != g || !a->end)
            continue;
        char *line = format_text("%s did best at the %s rate that was tried, "
                                 "%s: a wider grid may change its verdict",
                                 a->series, a->end < 0 ? "lowest" : "highest",
                                 number_text(a->lr, 3, n));
        item_write(to, line, layout);
        free(line);
    }
}

/* Which variant may be better at another rate, after its grounds; to be freed.
 */
static char *
doubts_of(const char *grounds, const Outcome *a)
{
    char n[32];
    char *by = isfinite(a->gain)
                   ? format_text(" by up to %s", number_text(a->gain, 2, n))
                   : copy_text("");
    char *text = format_text("%s; at a rate that was not tried %s may be "
                             "better%s: a wider or finer grid would tell",
                             grounds, a->behind, by);
    free(by);
    return text;
}

/* What a verdict rests on: the difference with its interval and p; where it is
   undecided, what these seeds could have shown, and how many would tell. To be
   freed. */
static char *
grounds_of(const Outcome *a)
{
    char n[6][32];
    const Paired *p = &a->against;
    const char *at = a->rates > 1 ? " at these rates" : "";
    char *seeds = a->needed
                      ? format_text("about %d would decide%s", a->needed, at)
                      : copy_text("10,000 would not decide");
    char *text = format_text("%s [%s, %s]", number_text(p->difference, 3, n[0]),
                             number_text(p->low, 3, n[1]),
                             number_text(p->high, 3, n[2]));
    if (a->behind)
        replace(&text, doubts_of(text, a));
    else if (a->verdict == UNDECIDED)
        replace(&text,
                format_text("%s, p = %s (the same: %s); %d seeds show %s or "
                            "more, %s",
                            text, number_text(p->differ, 2, n[4]),
                            number_text(p->same, 2, n[5]), p->n,
                            number_text(a->detectable, 3, n[3]), seeds));
    else
        replace(&text, format_text("%s, p = %s", text,
                                   number_text(a->verdict == EQUAL ? p->same
                                                                   : p->differ,
                                               2, n[4])));
    free(seeds);
    return text;
}

/* Leaves out of a verdict what its grounds say too: "better by 70". */
static void
cut_words(const Outcome *a, char *words)
{
    if (a->against.deviation > 0)
        cut_at(words, a->verdict == UNDECIDED && !a->behind ? " at " : " by ");
}

/* "two-step: better in steps to the threshold: -70 [-95, -45], p = 0.009", of a
   verdict's variants. */
static void
write_verdict(FILE *to, const Outcomes *all, const Group *g, Verdict verdict,
              Layout layout)
{
    char words[VERDICT_SIZE];
    const KnownTask *t = task_named(g->runs[0]->config.task);
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        if (a->group != g || a->verdict != verdict || a->against.n < 2)
            continue;
        verdict_text(all, a, words);
        cut_words(a, words);
        char *quantity = axis_title(a->judged, t), *grounds = grounds_of(a);
        bool spread = a->against.deviation > 0;
        char *line =
            verdict == UNTESTED
                ? format_text("%s: %s", a->series, words)
                : format_text("%s: %s in %s%s%s", a->series, words, quantity,
                              spread ? ": " : "", spread ? grounds : "");
        if (a->rates > 1 && verdict != UNTESTED) {
            char *by_rate = verdicts_by_rate(all, a);
            replace(&line,
                    format_text("%s. Both at one rate, each tested alone: %s",
                                line, by_rate));
            free(by_rate);
        }
        item_write(to, line, layout);
        free(line);
        free(grounds);
        free(quantity);
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
    bool any = false, saturated = false;
    for (int i = 0; i < all->count; i++) {
        any |= all->list[i].group == g && all->list[i].against.n > 1;
        saturated |= all->list[i].group == g && all->list[i].saturated;
    }
    if (!any)
        return;
    char *head = format_text(
        "against %s%s:", all->baseline,
        saturated ? ", where accuracy is saturated in steps or loss" : "");
    words_write(to, head, layout);
    write_gap(to, layout);
    for (int verdict = BETTER; verdict >= UNTESTED; verdict--)
        write_verdict(to, all, g, (Verdict)verdict, layout);
    write_ends(to, all, g, layout);
    free(head);
}

/* "3 better (two-step on reverse, recall; mqa on sort)", of a verdict that has
   names to be read, or "12 the same"; to be freed, NULL for none. */
static char *
counted(const Outcomes *all, Verdict verdict, const char *word, bool names)
{
    int count = 0;
    char *list = copy_text("");
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        if (a->verdict != verdict)
            continue;
        replace(&list, format_text("%s%s%s on %s", list, count ? ", " : "",
                                   a->series, a->group->name));
        count++;
    }
    char *text = !count  ? NULL
                 : names ? format_text("%d %s (%s)", count, word, list)
                         : format_text("%d %s", count, word);
    free(list);
    return text;
}

/* What the whole table shows, in a sentence. */
static void
write_headline(FILE *to, const Outcomes *all, Layout layout)
{
    char *text = NULL;
    for (int verdict = BETTER; verdict > UNTESTED; verdict--) {
        char *some = counted(all, (Verdict)verdict,
                             verdict_name(all->judge, (Verdict)verdict),
                             verdict >= WORSE);
        if (some)
            replace(&text, text ? format_text("%s, %s", text, some)
                                : format_text("Compared with %s: %s",
                                              all->baseline, some));
        free(some);
    }
    if (text) {
        replace(&text, format_text("%s.", text));
        words_write(to, text, layout);
        write_gap(to, layout);
    }
    free(text);
}

static bool
any_lost(const Outcomes *all)
{
    bool any = false;
    for (int i = 0; i < all->count; i++)
        any |= all->list[i].lost;
    return any;
}

/* What the columns and the verdicts mean. */
static void
write_notes(FILE *to, const Outcomes *all, Layout layout)
{
    static const char rule[] =
        " Judged is test accuracy; where all seeds of both are within its "
        "margin of 1 (saturated) steps to the threshold, and where some seed "
        "has none test loss.";
    const Run *first = all->groups[0].runs[0];
    int seeds = most_seeds(all);
    char *tests =
        all->comparisons
            ? format_text(" Differences are paired by seed, with 95%% "
                          "intervals; t tests of a difference and of sameness "
                          "within a margin, p after Holm over %d "
                          "comparison%s.%s",
                          all->comparisons, all->comparisons > 1 ? "s" : "",
                          all->judge ? "" : rule)
            : copy_text("");
    char *notes = format_text(
        "attention: its parameters, in all blocks; %ssteps: the median seed's "
        "first with %s at %.10g over 10 batches (> where that seed never had "
        "it%s)%s.%s%s%s",
        any_counted(all) ? "real: those that are really there; " : "",
        measures_of(all), first->config.threshold,
        any_lost(all) ? ", or lost it again" : "",
        seeds < 2                ? ""
        : seeds < INTERVAL_SEEDS ? "; in brackets: the smallest and the "
                                   "largest of the seeds"
                                 : "; in brackets: the 95% interval of the "
                                   "mean over seeds, by Student's t",
        all->rates > 1
            ? " rate: the learning rate at which a variant did best, chosen "
              "for each seed by the others, in what is judged, on validation "
              "data (3/5: by so many)."
        : all->found ? " rate: the learning rate that --lr auto found, on "
                       "other seeds."
                     : "",
        all->rates > 1 || all->found
            ? " A verdict that another rate might turn round is undecided."
            : "",
        tests);
    words_below(to, notes, layout);
    free(notes);
    free(tests);
}

/* What a paper says of the table of a group; to be freed. */
static char *
caption_of(const Outcomes *all, const Group *g)
{
    int seeds = most_seeds(all);
    char *whose = group_title(g, "");
    char *levels = levels_of(g, whose);
    char *text = seeds < 2
                     ? format_text("%s.", levels)
                     : format_text("%s. Means of %d seeds [%s].", levels, seeds,
                                   seeds < INTERVAL_SEEDS
                                       ? "range"
                                       : "95% interval of Student's t");
    free(levels);
    free(whose);
    return text;
}

/* Of one group, the table alone. */
static void
results_group(FILE *to, const Outcomes *all, const Group *g, Layout layout)
{
    Sheet sheet = results_sheet(all, g);
    char *label = plain_name(g->name);
    bool latex = layout == LATEX || layout == LATEX_TEXT;
    if (latex)
        sheet_note(&sheet, interned(label), caption_of(all, g));
    sheet_write(to, &sheet, latex ? LATEX : layout);
    sheet_free(&sheet);
    free(label);
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
    write_headline(to, all, layout);
    for (int g = 0; g < all->group_count; g++) {
        char *levels = levels_of(&all->groups[g], all->groups[g].name);
        if (layout != LATEX)
            words_below(to, levels, layout);
        write_gap(to, layout);
        results_group(to, all, &all->groups[g], layout);
        write_verdicts(to, all, &all->groups[g], layout);
        free(levels);
    }
    write_notes(to, all, layout);
}
