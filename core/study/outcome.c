/* outcome.c - how each variant did on each task, and against the baseline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "study/outcome.h"
#include "study/quantity.h"
#include "study/rate.h"

/* Exits (2) unless verdicts can be about r's judge and margins. */
static void
check_judged(const Request *r)
{
    Values names = margins_named(r->margin);
    if (r->judge)
        values_add(&names, copy_text(r->judge));
    for (int i = 0; i < names.count; i++)
        if (quantity_named(names.text[i])->better == NEITHER)
            usage(
                "--judge, --margin: \"%s\" is neither better nor worse: choose "
                "test_loss, test_accuracy, solved_at, or another loss or "
                "accuracy of result.tsv",
                names.text[i]);
}

/* Are all seeds within the margin of 1, the best share that there can be? */
static bool
saturated(const Run *const *runs, int count, const char *key, double margin)
{
    const Quantity *q = quantity_named(key);
    bool all = q->scale == SHARE && q->better == MORE;
    for (int i = 0; i < count; i++)
        all &= run_quantity(runs[i], key) >= 1 - margin;
    return all;
}

/* Compares the runs with the baseline's, seed by seed. */
static Contrast
compare(const Run *const *runs, int count, const Run *const *base, int bases,
        const char *key, double margin)
{
    double *x = allocate(2 * (size_t)count + 1, sizeof *x), *y = x + count;
    int n = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < bases; k++)
            if (runs[i]->config.seed == base[k]->config.seed) {
                x[n] = run_quantity(runs[i], key);
                y[n++] = run_quantity(base[k], key);
            }
    return paired_t(x, y, n, margin);
}

/* Judges a series in one quantity: chooses the rates of the series and of the
   baseline by it, and compares them. Returns whether the quantity can tell the
   two apart. It cannot if both are saturated, or if a seed has no number. */
static bool
judged_in(const char *key, const Outcomes *all, Outcome *a, const Series *own)
{
    Series base = {0};
    int seeds;
    for (int i = 0; i < a->group->series_count; i++)
        if (!strcmp(a->group->series[i].name, all->baseline))
            base = a->group->series[i];
    a->judged = key;
    a->base = chosen_runs(base.runs, base.count, key, &a->bases, &a->base_lr);
    a->runs = chosen_runs(own->runs, own->count, key, &seeds, &a->lr);
    a->seeds = seeds;
    double *base_values = allocate((size_t)a->bases + 1, sizeof *base_values);
    double sum = 0;
    for (int i = 0; i < a->bases; i++) {
        base_values[i] = run_quantity(a->base[i], key);
        sum += base_values[i];
    }
    const Quantity *q = quantity_named(key);
    double margin =
        margin_of(all->margins, key, q->margin, base_values, a->bases);
    a->base_mean = sum / a->bases;
    if (!a->baseline && a->bases) {
        Contrast d = compare(a->runs, seeds, a->base, a->bases, key, margin);
        a->against = comparison_of(d, q->better == LESS, margin);
    }
    bool full = saturated(a->runs, seeds, key, margin) &&
                saturated(a->base, a->bases, key, margin);
    return !full && (a->baseline || !isnan(a->against.contrast.differ));
}

/* The outcome of a series. It is judged in the quantity of --judge, or else in
   the first of three that can tell it from the baseline. */
static Outcome
outcome_of(const Outcomes *all, const Group *g, const Series *own)
{
    static const char *const turns[] = {"test_accuracy", "solved_at",
                                        "test_loss", NULL};
    const char *const only[] = {all->judge, NULL};
    const char *const *key = all->judge ? only : turns;
    Outcome a = {.group = g, .task = g->name, .series = own->name};
    a.baseline = !strcmp(own->name, all->baseline);
    a.against = comparison_of(paired_t(NULL, NULL, 0, NAN), false, NAN);
    while (!judged_in(*key, all, &a, own) && key[1])
        key++;
    int seeds = (int)a.seeds;
    for (int i = 0; i < seeds; i++)
        a.solved += run_quantity(a.runs[i], "solved_at") > 0;
    a.steps = quantity_mean(a.runs, seeds, "solved_at").mean;
    a.beyond = 2 * (seeds - a.solved) >= seeds;
    a.rate_end = rate_end(own->runs, own->count, a.lr);
    a.accuracy = quantity_mean(a.runs, seeds, "test_accuracy");
    a.loss = quantity_mean(a.runs, seeds, "test_loss");
    return a;
}

/* Decides all verdicts together. */
static void
decide(Outcomes *all)
{
    Comparison **list = allocate((size_t)all->count + 1, sizeof *list);
    for (int i = 0; i < all->count; i++)
        list[i] = &all->list[i].against;
    all->comparisons = decide_all(list, all->count);
    for (Outcome *a = all->list; a < all->list + all->count; a++)
        a->word = a->baseline ? "baseline" : verdict_words[a->against.verdict];
}

/* The value that was given now, or else the one that was recorded when the runs
   were made, or NULL. */
static const char *
asked(const char *given, const Experiment *e, const char *key)
{
    return given ? given : experiment_said(e, key);
}

const char *
compared_by(const Request *r, const Experiment *e)
{
    const char *by = asked(r->by, e, "by");
    bool differ = by && values_in(e, by).count > 1;
    if (r->by && !differ)
        usage("--by %s: not a setting in which these runs differ;%s "
              "`qkv table` shows those that do",
              by, name_suggestion(e, by, false));
    return differ ? by : "variant";
}

/* The question that r puts, before anything is judged. The baseline is the one
   given or recorded, if it is compared here, and else the first that is. Exits
   (2) if a baseline is given that is not compared. */
static Outcomes
asked_of(const Request *r, const Experiment *e)
{
    const char *by = compared_by(r, e);
    const char *baseline = asked(r->baseline, e, "baseline");
    Values v = values_in(e, by);
    int i = v.count - 1;
    while (i > 0 && strcmp(v.text[i], baseline ? baseline : BASELINE))
        i--;
    if (r->baseline && strcmp(v.text[i], r->baseline))
        usage("--baseline %s: no run has it; choose %s, or another one that "
              "the runs have",
              r->baseline, v.text[i]);
    check_judged(r);
    return (Outcomes){.by = by,
                      .baseline = v.text[i],
                      .rates = values_in(e, "lr").count > 1,
                      .judge = asked(r->judge, e, "judge"),
                      .margins = asked(r->margin, e, "margin")};
}

/* Notes whether a variant is compared with other runs of the baseline than
   those in the baseline's row, which may be judged in another quantity. */
static void
note_other_base(const Outcomes *all, Outcome *a)
{
    for (const Outcome *b = all->list; b < all->list + all->count; b++)
        for (int i = 0; i < a->bases && b->group == a->group && b->baseline;
             i++)
            a->other_base |= a->base[i] != b->runs[i];
}

void
check_question(const Request *r, const Experiment *e)
{
    asked_of(r, e);
}

Outcomes
outcomes_of(const Request *r, const Experiment *e)
{
    Outcomes all = asked_of(r, e);
    int room = 0;
    all.groups = groups_of(e, all.by, NULL, &all.group_count);
    for (int g = 0; g < all.group_count; g++)
        for (int s = 0; s < all.groups[g].series_count; s++) {
            all.list = grow(all.list, all.count, &room, sizeof *all.list);
            all.list[all.count++] =
                outcome_of(&all, &all.groups[g], &all.groups[g].series[s]);
        }
    decide(&all);
    for (int i = 0; i < all.count; i++)
        note_other_base(&all, &all.list[i]);
    return all;
}

/* The rates of a series that were chosen by a quantity, in all groups: "mqa
   0.01", "mqa 0.003 to 0.01". */
static char *
rates_by(const Outcomes *all, const char *judged, const char *series)
{
    double low = INFINITY, high = -INFINITY;
    for (const Outcome *a = all->list; a < all->list + all->count; a++)
        if (!strcmp(a->judged, judged) && !strcmp(a->series, series)) {
            low = fmin(low, a->lr);
            high = fmax(high, a->lr);
        }
    return low == high ? format_text("%s %g", series, low)
                       : format_text("%s %g to %g", series, low, high);
}

char *
chosen_rates(const Outcomes *all)
{
    const Outcome *end = all->list + all->count;
    Values parts = {0};
    void *quantities_said = NULL;
    for (const Outcome *a = all->list; a < end; a++) {
        Values rates = {0};
        void *series_said = NULL;
        if (!word_added(&quantities_said, a->judged))
            continue;
        for (const Outcome *b = a; b < end; b++)
            if (!strcmp(b->judged, a->judged) &&
                word_added(&series_said, b->series))
                values_add(&rates, rates_by(all, b->judged, b->series));
        values_add(&parts, format_text("%s (%s)", quantity_words(a->judged),
                                       joined(&rates, ", ")));
    }
    return joined(&parts, ", ");
}
