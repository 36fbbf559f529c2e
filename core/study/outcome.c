/* outcome.c - the result of each variant on each task, and its comparison with
   the baseline. */
#include <math.h>
#include <string.h>

#include "study/outcome.h"
#include "study/known_quantities.h"
#include "study/choose_rate.h"

/* Exits (2) unless less or more is better in each quantity that r's judge and
   margins name. */
static void
check_judged(const Request *r)
{
    Values names = margins_named(r->margin);
    if (r->judge)
        values_add(&names, copy_text(r->judge));
    for (int i = 0; i < names.count; i++)
        if (quantity_named(names.text[i])->better == NEITHER)
            usage("--judge, --margin: %s",
                  not_one_of(names.text[i],
                             "test_loss, test_accuracy, solved_at "
                             "or another loss or accuracy"));
}

/* Are all seeds within the margin of 1, the best share that there can be? */
static bool
saturated(const Run *const *runs, int count, const char *key, double margin)
{
    const Quantity *q = quantity_named(key);
    bool all = q->scale == SHARE && q->better == MORE;
    for (int i = 0; i < count; i++)
        all &= run_value_number(runs[i], key) >= 1 - margin;
    return all;
}

/* Compares the runs of a with its baseline's, seed by seed, in the judged
   quantity. */
static Contrast
compare(const Outcome *a)
{
    int seeds = (int)a->seeds, n = 0;
    double *x = allocate(2 * (size_t)seeds + 1, sizeof *x), *y = x + seeds;
    for (int i = 0; i < seeds; i++)
        for (int k = 0; k < a->bases; k++)
            if (a->runs[i]->config.seed == a->base[k]->config.seed) {
                x[n] = run_value_number(a->runs[i], a->judged);
                y[n] = run_value_number(a->base[k], a->judged);
                n++;
            }
    return paired_t(x, y, n, a->margin);
}

/* The series of that name in a group; an empty one if there is none. */
static Series
series_named(const Group *g, const char *name)
{
    for (int i = 0; i < g->series_count; i++)
        if (!strcmp(g->series[i].name, name))
            return g->series[i];
    return (Series){0};
}

/* Judges a series in one quantity: chooses the rates of the series and of the
   baseline by it, and compares them. */
static void
judge_in(const char *key, const Outcomes *all, Outcome *a, const Series *own)
{
    const Quantity *q = quantity_named(key);
    Series base = series_named(a->group, all->baseline);
    int seeds;
    a->judged = key;
    a->base = chosen_runs(base.runs, base.count, key, &a->bases, &a->base_lr);
    a->runs = chosen_runs(own->runs, own->count, key, &seeds, &a->lr);
    a->seeds = seeds;
    double *values = allocate((size_t)a->bases + 1, sizeof *values);
    double sum = 0;
    for (int i = 0; i < a->bases; i++) {
        values[i] = run_value_number(a->base[i], key);
        sum += values[i];
    }
    a->base_mean = sum / a->bases;
    a->margin = margin_of(all->margins, key, q->margin, values, a->bases);
    if (!a->baseline && a->bases)
        a->against = comparison_of(compare(a), q->better == LESS, a->margin);
}

/* Can the quantity in which a was judged tell it from the baseline? It cannot
   if both are saturated, or if a seed has no number. */
static bool
tells_apart(const Outcome *a)
{
    bool full = saturated(a->runs, (int)a->seeds, a->judged, a->margin) &&
                saturated(a->base, a->bases, a->judged, a->margin);
    return !full && (a->baseline || !isnan(a->against.contrast.differ));
}

/* Judges a series in the quantity of --judge. If none was given, the first of
   three quantities that can tell the series from the baseline is used, or the
   last one if none can. */
static void
judge_series(const Outcomes *all, Outcome *a, const Series *own)
{
    static const char *const turns[] = {"test_accuracy", "solved_at",
                                        "test_loss"};
    if (all->judge) {
        judge_in(all->judge, all, a, own);
        return;
    }
    for (int i = 0; i < 3; i++) {
        judge_in(turns[i], all, a, own);
        if (tells_apart(a))
            return;
    }
}

/* The outcome of a series, before the verdicts of all are decided together. */
static Outcome
outcome_of(const Outcomes *all, const Group *g, const Series *own)
{
    Outcome a = {.group = g, .task = g->name, .series = own->name};
    a.baseline = !strcmp(own->name, all->baseline);
    a.against = comparison_of(unknown_contrast, false, NAN);
    judge_series(all, &a, own);
    int seeds = (int)a.seeds;
    for (int i = 0; i < seeds; i++)
        if (run_value_number(a.runs[i], "solved_at") > 0)
            a.solved++;
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

/* The value given now; or else the one that was recorded when the runs were
   made, which may be NULL. */
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
              by, name_suggestion(e, by, false));
    return differ ? by : "variant";
}

/* The value that the others are compared with: the one given or recorded, or
   "standard". If it is not among `compared`, it is the first of these, but a
   given one exits (2). */
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
        usage("--baseline: no run has it: %s",
              not_one_of(r->baseline, joined(compared, ", ")));
    return compared->text[0];
}

/* The outcomes before anything is judged: only the settings, the baseline and
   the quantities by which r wants to judge. */
static Outcomes
outcomes_begin(const Request *r, const Experiment *e)
{
    const char *by = compared_by(r, e);
    Values compared = values_in(e, by);
    const char *baseline = baseline_of(r, e, &compared);
    check_judged(r);
    return (Outcomes){.by = by,
                      .baseline = baseline,
                      .rates = values_in(e, "lr").count > 1,
                      .judge = given_or_recorded(r->judge, e, "judge"),
                      .margins = given_or_recorded(r->margin, e, "margin")};
}

/* Sets a->other_base: is the variant compared with other runs than the
   baseline's own row shows, since that row is judged in another quantity? */
static void
note_other_base(const Outcomes *all, Outcome *a)
{
    for (const Outcome *b = all->list; b < all->list + all->count; b++) {
        if (b->group != a->group || !b->baseline)
            continue;
        for (int i = 0; i < a->bases; i++)
            a->other_base |= a->base[i] != b->runs[i];
    }
}

void
check_question(const Request *r, const Experiment *e)
{
    outcomes_begin(r, e); /* exits if something in r does not fit */
}

Outcomes
outcomes_of(const Request *r, const Experiment *e)
{
    Outcomes all = outcomes_begin(r, e);
    int capacity = 0;
    all.groups = groups_of(e, all.by, NULL, &all.group_count);
    for (int g = 0; g < all.group_count; g++)
        for (int s = 0; s < all.groups[g].series_count; s++) {
            all.list = grow(all.list, all.count, &capacity, sizeof *all.list);
            all.list[all.count++] =
                outcome_of(&all, &all.groups[g], &all.groups[g].series[s]);
        }
    decide(&all);
    for (int i = 0; i < all.count; i++)
        note_other_base(&all, &all.list[i]);
    return all;
}

/* A series and the learning rates that were chosen for it by a quantity, in all
   groups: "mqa 0.01", "mqa 0.003 to 0.01". */
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
        if (!add_word(&quantities_said, a->judged))
            continue;
        for (const Outcome *b = a; b < end; b++)
            if (!strcmp(b->judged, a->judged) &&
                add_word(&series_said, b->series))
                values_add(&rates, rates_by(all, b->judged, b->series));
        values_add(&parts, format_text("%s (%s)", quantity_words(a->judged),
                                       joined(&rates, ", ")));
    }
    return joined(&parts, ", ");
}
