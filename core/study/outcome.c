/* outcome.c - the result of each variant on each task, and its comparison with
   the baseline. */
#include <math.h>
#include <string.h>

#include "study/outcome.h"
#include "study/known_quantities.h"

/* Exits (2) if --judge or --margin names a quantity that is never judged. */
static void
check_judged(const Request *r)
{
    Values names = margin_names(r->margin);
    const int margins = names.count; /* the names of --margin come first */
    const Values usual = values_split("test_loss,test_accuracy,solved_at");
    if (r->judge)
        values_add(&names, copy_text(r->judge));
    for (int i = 0; i < names.count; i++)
        if (quantity_named(names.text[i])->better == NEITHER)
            usage("%s: \"%s\" is not a result in which less or more is "
                  "better:%s give test_loss, test_accuracy, solved_at, or "
                  "another loss or accuracy",
                  i < margins ? "--margin" : "--judge", names.text[i],
                  suggestion(names.text[i], &usual));
}

/* Returns whether the quantity `key` is a share and all these runs reached 1,
   its best value, up to the margin. */
static bool
saturated(const Chosen *c, const char *key, double margin)
{
    const Quantity *q = quantity_named(key);
    bool full = q->scale == SHARE && q->better == MORE;
    for (int i = 0; i < c->seeds; i++)
        full &= run_value_number(c->runs[i], key) >= 1 - margin;
    return full;
}

/* Compares the runs of a with the baseline's runs in the judged quantity. Two
   runs of one seed are a pair; a seed that only one of the two has is left out.
 */
static Contrast
compare(const Outcome *a)
{
    size_t most_pairs = (size_t)a->own.seeds;
    double *own_values = allocate(most_pairs + 1, sizeof *own_values);
    double *base_values = allocate(most_pairs + 1, sizeof *base_values);
    int pairs = 0;
    for (int i = 0; i < a->own.seeds; i++)
        for (int k = 0; k < a->base.seeds; k++) {
            const Run *own = a->own.runs[i], *base = a->base.runs[k];
            if (own->config.seed != base->config.seed)
                continue;
            own_values[pairs] = run_value_number(own, a->judged);
            base_values[pairs] = run_value_number(base, a->judged);
            pairs++;
        }
    return paired_t(own_values, base_values, pairs, a->margin);
}

/* The series of that name in a group; an empty series if there is none. */
static Series
series_named(const Group *g, const char *name)
{
    for (int i = 0; i < g->series_count; i++)
        if (!strcmp(g->series[i].name, name))
            return g->series[i];
    return (Series){0};
}

/* Judges the series `own` in the quantity `key`: chooses learning rates for it
   and for the baseline by this quantity, and compares the runs at these rates.
   The result is in a. The baseline is not compared with itself. */
static void
judge_by(const Outcomes *all, Outcome *a, const Series *own, const char *key)
{
    const Quantity *q = quantity_named(key);
    Series base = series_named(a->group, all->baseline);
    a->judged = key;
    a->own = chosen_runs(own->runs, own->count, key);
    a->base = chosen_runs(base.runs, base.count, key);
    int seeds = a->base.seeds;
    double *values = allocate((size_t)seeds + 1, sizeof *values);
    for (int i = 0; i < seeds; i++)
        values[i] = run_value_number(a->base.runs[i], key);
    a->base_mean = mean_interval(values, seeds).mean;
    const char *given = margin_given(all->margins, key);
    a->margin = margin_in_unit(given ? given : q->margin, values, seeds);
    if (!a->is_baseline && seeds)
        a->comparison = comparison_of(compare(a), q->better == LESS, a->margin);
}

/* Returns whether the quantity in which a was judged can tell it from the
   baseline. It cannot if both are saturated, or if there is no p-value, for
   example because a seed has no number. The baseline is compared with nothing,
   so it has no p-value, and needs none: it is judged in the first quantity in
   which it is not saturated. */
static bool
tells_apart(const Outcome *a)
{
    bool both_saturated = saturated(&a->own, a->judged, a->margin) &&
                          saturated(&a->base, a->judged, a->margin);
    bool has_p_value = !isnan(a->comparison.contrast.differ);
    return (has_p_value || a->is_baseline) && !both_saturated;
}

/* Judges a series in the quantity of --judge. Without --judge, three quantities
   are tried in turn until one can tell the series from the baseline. If none
   can, the last quantity is used. */
static void
judge_series(const Outcomes *all, Outcome *a, const Series *own)
{
    static const char *const usual[] = {"test_accuracy", "solved_at",
                                        "test_loss"};
    if (all->judge) {
        judge_by(all, a, own, all->judge);
        return;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        judge_by(all, a, own, usual[i]);
        if (tells_apart(a))
            return;
    }
}

/* The mean of a result over the runs by which a series is judged. A single seed
   has no interval. */
static Mean
mean_of_result(const Chosen *c, const char *name)
{
    Mean m = quantity_mean(c->runs, c->seeds, name);
    if (c->seeds < 2)
        m.low = m.high = NAN;
    return m;
}

/* The outcome of the series `own` of group g, before its verdict is decided. */
static Outcome
outcome_of(const Outcomes *all, const Group *g, const Series *own)
{
    Outcome a = {.group = g, .task = g->name, .series = own->name};
    a.is_baseline = !strcmp(own->name, all->baseline);
    /* The baseline keeps this comparison, whose verdict is UNTESTED. So its
       margin, and whether less is better, do not matter. */
    const bool less_is_better = false;
    a.comparison = comparison_of(unknown_contrast, less_is_better, NO_MARGIN);
    judge_series(all, &a, own);
    const Run **runs = a.own.runs;
    int seeds = a.own.seeds;
    a.seeds = seeds;
    for (int i = 0; i < seeds; i++)
        if (run_value_number(runs[i], "solved_at") > 0)
            a.solved++;
    a.steps = quantity_mean(runs, seeds, "solved_at").mean;
    /* With an even number of seeds, the median is the mean of the middle two.
       So it is unsolved even if only half of the seeds are unsolved. */
    a.median_unsolved = 2 * (seeds - a.solved) >= seeds;
    a.rate_end = rate_end(own->runs, own->count, a.own.lr);
    a.accuracy = mean_of_result(&a.own, "test_accuracy");
    a.loss = mean_of_result(&a.own, "test_loss");
    return a;
}

/* Decides the verdicts of all outcomes together, because each p-value is
   adjusted for the number of comparisons. */
static void
decide(Outcomes *all)
{
    Comparison **list = allocate((size_t)all->count + 1, sizeof *list);
    for (int i = 0; i < all->count; i++)
        list[i] = &all->list[i].comparison;
    all->comparisons = decide_all(list, all->count);
    for (Outcome *a = all->list; a < all->list + all->count; a++)
        a->verdict =
            a->is_baseline ? "baseline" : verdict_words[a->comparison.verdict];
}

/* `given`, which the user gave to this command, or if that is NULL the value of
   `key` that was given to the commands that made the runs; NULL without either.
 */
static const char *
given_or_recorded(const char *given, const Experiment *e, const char *key)
{
    return given ? given : recorded_value(e, key);
}

const char *
compared_by(const Request *r, const Experiment *e)
{
    const char *by = given_or_recorded(r->by, e, "by");
    bool differ = by && values_in(e, by).count > 1;
    if (r->by && !differ)
        usage("--by %s: these runs do not differ in it;%s `qkv table` shows "
              "the settings in which they do",
              by, name_suggestion(e, by));
    return differ ? by : "variant";
}

/* The value with which the others are compared: the given or recorded baseline,
   or "standard". If it is not among `compared`, exits (2) if the user gave it
   to this command; otherwise returns the first of `compared`. */
static const char *
baseline_of(const Request *r, const Experiment *e, const Values *compared)
{
    const char *wanted = given_or_recorded(r->baseline, e, "baseline");
    if (!wanted)
        wanted = BASELINE;
    for (int i = 0; i < compared->count; i++)
        if (!strcmp(compared->text[i], wanted))
            return compared->text[i];
    if (r->baseline)
        usage("--baseline: %s",
              not_one_of(r->baseline, joined(compared, ", ")));
    return compared->text[0];
}

Outcomes
question_of(const Request *r, const Experiment *e)
{
    const char *by = compared_by(r, e);
    Values compared = values_in(e, by);
    const char *baseline = baseline_of(r, e, &compared);
    check_judged(r);
    return (Outcomes){.by = by,
                      .baseline = baseline,
                      .several_rates = values_in(e, "lr").count > 1,
                      .judge = given_or_recorded(r->judge, e, "judge"),
                      .margins = given_or_recorded(r->margin, e, "margin")};
}

/* Sets a->other_base if a is compared with other runs of the baseline than the
   baseline's own row shows, because that row is judged in another quantity. */
static void
set_other_base(const Outcomes *all, Outcome *a)
{
    for (const Outcome *b = all->list; b < all->list + all->count; b++) {
        bool is_row_of_baseline = b->group == a->group && b->is_baseline;
        if (!is_row_of_baseline)
            continue;
        /* Both lists have one run for each seed of the baseline, in the same
           order. All runs are in one array, so a run has one address. */
        for (int i = 0; i < a->base.seeds; i++)
            if (a->base.runs[i] != b->own.runs[i])
                a->other_base = true;
    }
}

Outcomes
outcomes_of(const Request *r, const Experiment *e)
{
    Outcomes all = question_of(r, e);
    int capacity = 0;
    all.groups = groups_of(e, all.by, NO_X, &all.group_count);
    for (int g = 0; g < all.group_count; g++)
        for (int s = 0; s < all.groups[g].series_count; s++) {
            all.list = grow(all.list, all.count, &capacity, sizeof *all.list);
            all.list[all.count++] =
                outcome_of(&all, &all.groups[g], &all.groups[g].series[s]);
        }
    decide(&all);
    for (int i = 0; i < all.count; i++)
        set_other_base(&all, &all.list[i]);
    return all;
}

/* A series and the range of learning rates that the quantity `judged` chose for
   its seeds in all groups: "mqa 0.01", "mqa 0.003 to 0.01". */
static char *
range_of_rates(const Outcomes *all, const char *judged, const char *series)
{
    double low = INFINITY, high = -INFINITY;
    for (const Outcome *a = all->list; a < all->list + all->count; a++)
        if (!strcmp(a->judged, judged) && !strcmp(a->series, series))
            for (int i = 0; i < a->own.seeds; i++) {
                low = fmin(low, a->own.runs[i]->config.lr);
                high = fmax(high, a->own.runs[i]->config.lr);
            }
    return low == high ? format_text("%s %g", series, low)
                       : format_text("%s %g to %g", series, low, high);
}

/* add_word returns true only for a word that is new in its set. So each
   quantity is listed once, and each series is listed once for each quantity. */
char *
chosen_rates(const Outcomes *all)
{
    const Outcome *end = all->list + all->count;
    Values parts = {0};
    void *quantities_listed = NULL;
    for (const Outcome *a = all->list; a < end; a++) {
        Values rates = {0};
        void *series_listed = NULL;
        if (!add_word(&quantities_listed, a->judged))
            continue; /* it is listed already */
        for (const Outcome *b = a; b < end; b++)
            if (!strcmp(b->judged, a->judged) &&
                add_word(&series_listed, b->series))
                values_add(&rates, range_of_rates(all, b->judged, b->series));
        values_add(&parts, format_text("%s (%s)", quantity_words(a->judged),
                                       joined(&rates, ", ")));
    }
    return joined(&parts, ", ");
}
