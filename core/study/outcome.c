/* outcome.c - how each variant did on each task, and against the baseline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "study/outcome.h"
#include "study/quantity.h"
#include "study/rate.h"

#define SIGNIFICANT 0.05

/* Exits (2) unless verdicts can be about r's judge and margins. */
static void
check_judged(const Request *r)
{
    Values names = r->margin ? values_cut(r->margin) : (Values){0};
    for (int i = 0; i < names.count; i++) {
        char *sign = strchr(names.text[i], '=');
        char *end = "";
        double x = sign ? strtod(sign + 1, &end) : 0;
        if (!(x > 0) || !isfinite(x) || strcmp(end + (*end == '%'), ""))
            usage(
                "--margin \"%s\": give a quantity and the difference in it "
                "that "
                "does not matter, in its unit or in per cent of the baseline's "
                "value, as in test_accuracy=0.01,solved_at=10%%",
                names.text[i]);
        *sign = 0;
    }
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
static Paired
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
    double margin = margin_of(all->margins, key, a->base, a->bases);
    double sum = 0;
    for (int i = 0; i < a->bases; i++)
        sum += run_quantity(a->base[i], key);
    a->base_mean = sum / a->bases;
    if (!a->baseline && a->bases) {
        a->margin = margin;
        a->against = compare(a->runs, seeds, a->base, a->bases, key, margin);
    }
    bool full = saturated(a->runs, seeds, key, margin) &&
                saturated(a->base, a->bases, key, margin);
    return !full && (a->baseline || !isnan(a->against.differ));
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
    a.against = (Paired){NAN, NAN, NAN, NAN, NAN, NAN, 0};
    a.margin = a.detectable = a.needed = NAN;
    while (!judged_in(*key, all, &a, own) && key[1])
        key++;
    bool differ = a.against.difference != 0 || a.against.deviation != 0;
    a.verdict = isnan(a.against.differ) ? UNTESTED
                : differ                ? UNDECIDED
                                        : IDENTICAL;
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

/* Decides the verdict on a difference. What these seeds could have shown, or
   how many are needed, is for the level of the strictest of all tests. */
static void
decide(const Outcomes *all, Outcome *a)
{
    const Paired *p = &a->against;
    double alpha = SIGNIFICANT / all->comparisons, unit = p->deviation;
    bool less = quantity_named(a->judged)->better == LESS;
    if (p->same < SIGNIFICANT)
        a->verdict = EQUAL;
    else if (p->differ < SIGNIFICANT)
        a->verdict = (p->difference > 0) == less ? WORSE : BETTER;
    if (unit > 0)
        a->detectable = unit * detectable(p->n, alpha);
    if (unit > 0 && a->verdict == UNDECIDED)
        a->needed =
            seeds_to_tell(p->difference / unit, a->margin / unit, p->n, alpha);
}

/* Adjusts the p-values of all comparisons, then decides. Of a comparison's two
   hypotheses, that there is no difference and that there is one of the margin
   or more, one at most is true: so Holm's adjustment is Shaffer's. */
static void
decide_all(Outcomes *all)
{
    static const char *const words[] = {"identical", "same",  "undecided",
                                        "untested",  "worse", "better"};
    double *p = allocate(2 * (size_t)all->count + 2, sizeof *p);
    for (int i = 0; i < all->count; i++) {
        const Outcome *a = &all->list[i];
        bool counts = a->verdict == UNDECIDED;
        p[2 * i] = counts ? a->against.differ : NAN;
        p[2 * i + 1] = counts ? a->against.same : NAN;
        all->comparisons += counts;
    }
    holm(p, 2 * all->count, all->comparisons);
    for (int i = 0; i < all->count; i++) {
        Outcome *a = &all->list[i];
        if (a->verdict == UNDECIDED) {
            a->against.differ = p[2 * i];
            a->against.same = p[2 * i + 1];
            decide(all, a);
        }
        a->word = a->baseline ? "baseline" : words[a->verdict];
    }
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
    decide_all(&all);
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
