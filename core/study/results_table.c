/* results_table.c - the table of an experiment's results, and its verdicts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/tasks.h"
#include "heart/fail.h"
#include "study/quantity.h"
#include "study/results_table.h"

/* "0.02", or where not all seeds chose it "0.02 (5/8)". */
static Cell
rate_cell(const Outcome *a)
{
    char n[32], text[64];
    number_text(a->lr, 10, n);
    if (a->agreed < a->seeds)
        snprintf(text, sizeof text, "%s (%d/%.0f)", n, a->agreed, a->seeds);
    return cell_shown(a->lr, a->agreed < a->seeds ? text : n);
}

static bool
trained(const Outcome *a)
{
    return a->runs[0]->config.steps > 0;
}

static Cell
solved_cell(const Outcome *a)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%.0f/%.0f", a->solved, a->seeds);
    if (a->lost > 0)
        snprintf(text + n, sizeof text - (size_t)n, ", %.0f lost", a->lost);
    return trained(a) ? cell_shown(a->solved, text) : cell_number(NAN);
}

static Cell
steps_cell(const Outcome *a)
{
    char text[32];
    snprintf(text, sizeof text, "%s%.10g", a->beyond ? ">" : "", a->steps);
    return trained(a) ? cell_shown(a->beyond ? NAN : a->steps, text)
                      : cell_number(NAN);
}

static Cell
verdict_cell(const Outcome *a)
{
    char text[VERDICT_SIZE];
    verdict_text(a, text);
    return cell_words(text);
}

/* The verdict in one word. */
static Cell
outcome_cell(const Outcome *a)
{
    return cell_words(a->baseline ? "baseline"
                      : a->verdict == EQUAL
                          ? "same"
                          : verdict_name(a->judged, a->verdict));
}

/* A column, and where its cells come from: words, a number or a mean of the
   outcome, or what a function makes of it. */
typedef struct Field {
    Column column;
    size_t at;
    bool mean;
    Cell (*get)(const Outcome *a);
} Field;

#define AT(field) .at = offsetof(Outcome, field)
/* clang-format off */
static const Field fields[] = {
    {{"task", .words = true, .readers = PROGRAMS}, AT(task)},
    {{"variant", .words = true}, AT(series)},
    {{"attention_parameters", .title = "attention"}, AT(attention)},
    {{.name = "real"}, AT(real)},
    {{"parameters", .title = "of all"}, AT(parameters)},
    {{.name = "rate"}, .get = rate_cell},
    {{.name = "solved"}, .get = solved_cell},
    {{"median_steps", .title = "steps"}, .get = steps_cell},
    {{"test_accuracy", .title = "test accuracy", .format = "%.3f"}, AT(accuracy), .mean = true},
    {{"low", .format = "%.3f", .readers = PROGRAMS}, AT(accuracy.low)},
    {{"high", .format = "%.3f", .readers = PROGRAMS}, AT(accuracy.high)},
    {{"test_loss", .title = "test loss", .format = "%.3g"}, AT(loss.mean)},
    {{"loss_low", .format = "%.3g", .readers = PROGRAMS}, AT(loss.low)},
    {{"loss_high", .format = "%.3g", .readers = PROGRAMS}, AT(loss.high)},
    {{"seeds", .readers = PROGRAMS}, AT(seeds)},
    {{"judged", .words = true, .readers = PROGRAMS}, AT(judged)},
    {{"outcome", .title = "verdict", .words = true, .readers = PAPERS}, .get = outcome_cell},
    {{"verdict", .words = true, .readers = PROGRAMS}, .get = verdict_cell},
    {{"difference", .format = "%.3g", .readers = PROGRAMS}, AT(against.difference)},
    {{"difference_low", .format = "%.3g", .readers = PROGRAMS}, AT(against.low)},
    {{"difference_high", .format = "%.3g", .readers = PROGRAMS}, AT(against.high)},
    {{"margin", .format = "%.3g", .readers = PROGRAMS}, AT(margin)},
    {{"p_adjusted", .format = "%.3g", .readers = PROGRAMS}, AT(against.differ)},
    {{"p_same", .format = "%.3g", .readers = PROGRAMS}, AT(against.same)},
    {{"detectable", .format = "%.3g", .readers = PROGRAMS}, AT(detectable)},
    {{"seeds_needed", .readers = PROGRAMS}, AT(needed)},
};
/* clang-format on */
#undef AT
enum { FIELDS = sizeof fields / sizeof *fields };

static Cell
cell_of(const Field *f, const Outcome *a)
{
    const void *at = (const char *)a + f->at;
    return f->get            ? f->get(a)
           : f->column.words ? cell_words(*(const char *const *)at)
           : f->mean         ? cell_interval(*(const Mean *)at)
                             : cell_number(*(const double *)at);
}

/* "accuracy", or "R^2" where answers are numbers. */
static const char *
measure_of(const Group *g)
{
    return task_measure(task_named(g->runs[0]->config.task));
}

/* Of one group, or of all where it is NULL. People see the rates where there
   were some to choose from, what is real where it was counted, and where
   neither is so the parameters of the whole model. */
static Sheet
results_sheet(const Outcomes *all, const Group *g)
{
    bool rates = all->rates > 1 || all->found;
    bool counted = false; /* is it known of any how much of it is real */
    Column columns[FIELDS];
    Cell cells[FIELDS];
    char *accuracy =
        format_text("test %s [%s]", measure_of(g ? g : all->groups),
                    all->list[0].seeds < INTERVAL_SEEDS ? "range" : "95%");
    for (int i = 0; i < all->count; i++)
        counted |= all->list[i].real >= 0;
    for (int k = 0; k < FIELDS; k++) {
        Column *c = &columns[k];
        *c = fields[k].column;
        c->name = !strcmp(c->name, "variant") ? all->by : c->name;
        if ((!strcmp(c->name, "parameters") && (rates || counted)) ||
            (!strcmp(c->name, "rate") && !rates) ||
            (!strcmp(c->name, "real") && !counted))
            c->readers = PROGRAMS;
        if (!strcmp(c->name, "test_accuracy"))
            c->title = interned(accuracy);
    }
    Sheet sheet = sheet_of(columns, FIELDS);
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        if (g && a->group != g)
            continue;
        for (int k = 0; k < FIELDS; k++)
            cells[k] = cell_of(&fields[k], a);
        sheet_add_row(&sheet, cells, FIELDS);
    }
    free(accuracy);
    return sheet;
}

/* What a group's numbers are to be compared with: what guessing reaches, and
   what a trivial baseline; on test data, as the numbers are, where a file's
   parts differ. To be freed. */
static char *
levels_of(const Group *g)
{
    const Run *r = g->runs[0];
    bool test = run_has(r, "test_trivial");
    char *text = format_text("%s: guessing has %s %.2f (loss %.2f), %s %.2f",
                             g->name, measure_of(g), run_number(r, "chance"),
                             run_number(r, "chance_loss"),
                             task_named(r->config.task)->trivial,
                             run_number(r, test ? "test_trivial" : "trivial"));
    double bigram = run_number(r, test ? "test_bigram_loss" : "bigram_loss");
    if (!isnan(bigram))
        replace(&text,
                format_text(
                    "%s; counting characters has loss %.2f, pairs of "
                    "them %.2f%s",
                    text,
                    run_number(r, test ? "test_unigram_loss" : "unigram_loss"),
                    bigram, test ? "" : " (validation)"));
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
    char *text = format_text(
        "%s [%s, %s], p = %s", number_text(p->difference, 3, n[0]),
        number_text(p->low, 3, n[1]), number_text(p->high, 3, n[2]),
        number_text(a->verdict == EQUAL ? p->same : p->differ, 2, n[3]));
    if (a->verdict == UNDECIDED)
        replace(&text,
                format_text("%s (the same: %s); %d seeds show %s or more, %s%s "
                            "would decide",
                            text, number_text(p->same, 2, n[4]), p->n,
                            number_text(a->detectable, 3, n[5]),
                            isnan(a->needed) ? "10,000" : "about ",
                            isnan(a->needed)
                                ? " not"
                                : number_text(a->needed, 10, n[0])));
    return text;
}

/* "better in steps to the threshold: -70 [-95, -45], p = 0.009"; to be freed.
 */
static char *
ruling_of(const Outcome *a)
{
    char words[VERDICT_SIZE];
    bool spread = a->against.deviation > 0 && a->verdict != UNTESTED;
    verdict_text(a, words);
    char *cut = spread
                    ? strstr(words, a->verdict == UNDECIDED ? " at " : " by ")
                    : NULL;
    if (cut) /* the grounds say it too */
        *cut = 0;
    char *quantity =
        axis_title(a->judged, task_named(a->group->runs[0]->config.task));
    char *grounds = spread ? grounds_of(a) : copy_text("");
    char *text = format_text("%s in %s%s%s", words, quantity,
                             spread ? ": " : "", grounds);
    if (a->verdict == UNTESTED)
        replace(&text, format_text("%s (%.0f of %.0f seeds solved it)", text,
                                   a->solved, a->seeds));
    free(quantity);
    free(grounds);
    return text;
}

/* An item of the list of verdicts. At the end of the rates that were tried, a
   further one might change it, which is said of the baseline, too. */
static void
write_verdict(FILE *to, const Outcome *a, Layout layout)
{
    char n[32];
    char *text = a->baseline ? copy_text("the baseline") : ruling_of(a);
    char *line = format_text("%s: %s", a->series, text);
    if (a->end)
        replace(&line, format_text("%s. Its best rate, %s, is the %s that was "
                                   "tried: a wider grid may change this",
                                   line, number_text(a->lr, 3, n),
                                   a->end < 0 ? "lowest" : "highest"));
    item_write(to, line, layout);
    free(text);
    free(line);
}

/* The verdicts of a group, the firm ones first. */
static void
write_verdicts(FILE *to, const Outcomes *all, const Group *g, Layout layout)
{
    bool any = false, saturated = false;
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        any |= a->group == g && a->against.n > 1;
        saturated |= a->group == g && a->saturated;
    }
    if (!any)
        return;
    char *head = format_text(
        "against %s%s:", all->baseline,
        saturated ? ", where accuracy is saturated in steps or loss" : "");
    words_write(to, head, layout);
    fputs(layout == MARKDOWN ? "\n" : "", to);
    for (int verdict = BETTER; verdict >= UNTESTED; verdict--)
        for (int i = 0; i < all->count; i++) {
            const Outcome *a = &all->list[i];
            bool told = a->baseline ? a->end != 0 : a->against.n > 1;
            if (a->group == g && (int)a->verdict == verdict && told)
                write_verdict(to, a, layout);
        }
    free(head);
}

/* "3 better (two-step on reverse, recall; mqa on sort)", of a verdict that has
   names to be read, or "12 the same"; to be freed, NULL for none. */
static char *
counted(const Outcomes *all, Verdict verdict)
{
    bool names = verdict >= WORSE || verdict == UNTESTED;
    const char *word = verdict == UNTESTED ? "not comparable"
                                           : verdict_name(all->judge, verdict);
    int count = 0;
    char *list = copy_text("");
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        if (a->verdict != verdict || a->against.n < 2)
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

/* What the whole table shows, in a sentence. Where one learning rate was tried,
   what does not depend on it comes first. */
static void
write_headline(FILE *to, const Outcomes *all, Layout layout)
{
    static const Verdict orders[2][5] = {
        {BETTER, WORSE, EQUAL, UNDECIDED, UNTESTED},
        {EQUAL, UNDECIDED, UNTESTED, BETTER, WORSE}};
    bool one = all->rates < 2 && !all->found && trained(&all->list[0]);
    const Verdict *order = orders[one];
    Values parts = {0};
    for (int i = 0; i < 5; i++) {
        Verdict verdict = order[i];
        char *some = counted(all, verdict);
        if (some && one && verdict >= WORSE) {
            replace(&some, format_text("at this one learning rate %s", some));
            one = false; /* said once */
        }
        if (some)
            values_add(&parts, some);
    }
    char *list = joined(&parts, ", ");
    char *text = format_text("Compared with %s: %s.", all->baseline, list);
    if (parts.count)
        words_write(to, text, layout);
    free(text);
    free(list);
    values_free(&parts);
}

/* What the columns and the verdicts mean. */
static void
write_notes(FILE *to, const Outcomes *all, Layout layout)
{
    char *rates = copy_text(
        !all->found && all->rates < 2 ? ""
        : all->found ? " rate: the learning rate that --lr auto found, on "
                       "other seeds."
                     : " rate: the learning rate at which a variant did best, "
                       "chosen for each seed by the others, in what is "
                       "judged, on validation data (3/5: by so many).");
    char *tests = format_text(
        " Differences are paired by seed, with 95%% intervals; t tests of a "
        "difference and of sameness within a margin, p after Holm over %d "
        "comparison%s.%s",
        all->comparisons, all->comparisons > 1 ? "s" : "",
        all->judge ? ""
                   : " Judged is test accuracy; where all seeds of both are "
                     "within its margin of 1 (saturated) steps to the "
                     "threshold, and where some seed has none test loss.");
    char *notes = format_text(
        "attention: its parameters, in all blocks; real: those that are really "
        "there; steps: the median seed's first with accuracy or R^2 at %.10g "
        "over 10 batches (> where that seed never had it, or lost it again); "
        "in brackets: the 95%% interval of the mean over seeds, by Student's "
        "t, of two seeds their range.%s%s",
        all->groups[0].runs[0]->config.threshold, rates,
        all->comparisons ? tests : "");
    words_below(to, notes, layout);
    free(rates);
    free(tests);
    free(notes);
}

/* The table of one group, without its verdicts. */
static void
write_group(FILE *to, const Outcomes *all, const Group *g, Layout layout)
{
    Sheet sheet = results_sheet(all, g);
    char *levels = levels_of(g), *label = plain_name(g->name);
    if (layout == LATEX)
        sheet_note(&sheet, interned(label),
                   format_text("%s. Means [95%% interval].", levels));
    else
        words_below(to, levels, layout);
    fputs(layout == MARKDOWN ? "\n" : "", to);
    sheet_write(to, &sheet, layout);
    sheet_free(&sheet);
    free(levels);
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
        write_group(to, all, &all->groups[g], layout);
        write_verdicts(to, all, &all->groups[g], layout);
    }
    write_notes(to, all, layout);
}
