/* outcome.c - how each variant fared on each task, and against the baseline. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "study/outcome.h"
#include "study/quantity.h"
#include "study/rate.h"

#define SIGNIFICANT 0.05

void
check_judged(const char *option, const char *name)
{
    const Quantity *q = quantity_named(name);
    if (q->fixed || *q->name == '*' || setting_named(name))
        usage("--%s \"%s\": verdicts are about what training decides: take "
              "test_loss, test_accuracy, solved_at, or what --log measures",
              option, name);
}

void
check_margins(const char *text)
{
    Values given = values_cut(text);
    for (int i = 0; i < given.count; i++) {
        char *sign = strchr(given.text[i], '=');
        char *end = "";
        double x = sign && sign > given.text[i] ? strtod(sign + 1, &end) : 0;
        if (!(x > 0) || !isfinite(x) || strcmp(end + (*end == '%'), ""))
            usage("--margin \"%s\": give a quantity and the difference that is "
                  "none, in its unit or in per cent of the baseline's, as in "
                  "test_accuracy=0.01,solved_at=10%%",
                  given.text[i]);
        *sign = 0;
        check_judged("margin", given.text[i]);
    }
    values_free(&given);
}

/* The runs of a series of the group; count 0 where there is none. */
static Series
series_of(const Group *g, const char *name)
{
    const Series *s = group_series(g, name);
    return s ? *s : (Series){name, NULL, 0};
}

/* Are all seeds within the margin of the best there can be? */
static bool
saturated(const Run *const *runs, int count, const Quantity *q, double margin)
{
    bool all = q->scale == SHARE && q->better == MORE;
    for (int i = 0; i < count; i++)
        all &= run_quantity(runs[i], q->name) >= 1 - margin;
    return all;
}

/* The differences of those seeds that both have, which are sorted by seed. */
static Paired
compare(const Run *const *runs, int count, const Run *const *base, int bases,
        const char *key, double margin)
{
    double *x = allocate((size_t)count + 1, sizeof *x);
    double *y = allocate((size_t)count + 1, sizeof *y);
    int n = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < bases; k++)
            if (runs[i]->config.seed == base[k]->config.seed) {
                x[n] = run_quantity(runs[i], key);
                y[n++] = run_quantity(base[k], key);
            }
    Paired p = paired_t(x, y, n, margin);
    free(x);
    free(y);
    return p;
}

bool
identical(const Paired *p)
{
    return p->n > 1 && p->difference == 0 && p->deviation == 0;
}

/* Compares a series with the baseline in the quantity of --judge, or in the
   first quantity in turn that is not saturated in both and that all seeds have.
   Both are taken at the rates that are best for them in that quantity. */
static void
compare_series(const Outcomes *all, Outcome *a)
{
    Series own = series_of(a->group, a->series);
    Series base = series_of(a->group, all->baseline);
    for (int turn = 0; isnan(a->against.differ); turn++) {
        const char *key = all->judge ? all->judge : judged_in_turn[turn];
        int bases, seeds;
        if (!key || (all->judge && turn))
            return;
        const Run **b = chosen_runs(base.runs, base.count, key, &bases);
        const Run **runs = chosen_runs(own.runs, own.count, key, &seeds);
        const Quantity *q = quantity_named(key);
        double margin = margin_of(all->margins, key, b, bases);
        bool full = !all->judge && saturated(runs, seeds, q, margin) &&
                    saturated(b, bases, q, margin);
        a->saturated |= full;
        if (!a->runs || !full) { /* else the first quantity's runs are shown */
            free(a->runs);
            a->runs = runs;
            a->seeds = seeds;
        } else
            free(runs);
        if (!full && !a->baseline && bases) {
            a->judged = key;
            a->margin = margin;
            a->against = compare(a->runs, seeds, b, bases, key, margin);
        }
        free(b);
        if (a->baseline && !full)
            return;
    }
}

/* The rate of most of its runs, and whether it is an end of those tried. */
static void
note_rate(Outcome *a)
{
    Series s = series_of(a->group, a->series);
    double *rates = rates_of(s.runs, s.count, &a->rates);
    for (int k = 0; k < a->rates; k++) {
        int here = 0;
        for (int i = 0; i < a->seeds; i++)
            here += a->runs[i]->config.lr == rates[k];
        if (here <= a->agreed)
            continue;
        a->agreed = here;
        a->lr = rates[k];
        a->end = a->rates < 2 ? 0 : k == 0 ? -1 : k == a->rates - 1;
    }
    free(rates);
}

/* The median of the steps to the threshold, where a seed that never reached it
   counts as later than all that did: it is beyond where such a seed is the
   median, or one of the two that this lies between. */
static void
note_steps(Outcome *a)
{
    int n = (int)a->seeds;
    double *x = allocate((size_t)n + 1, sizeof *x), most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, run_number(a->runs[i], "steps"));
    for (int i = 0; i < n; i++) {
        double steps = run_quantity(a->runs[i], "solved_at");
        a->solved += steps > 0;
        x[i] = steps > 0 ? steps : most;
    }
    a->beyond = 2 * (n - a->solved) >= n;
    a->steps = median(x, n);
    free(x);
}

static Outcome
outcome_of(const Outcomes *all, const Group *g, const char *series)
{
    Outcome a = {.group = g, .task = g->name, .series = series};
    a.baseline = !strcmp(series, all->baseline);
    a.against = (Paired){NAN, NAN, NAN, NAN, NAN, NAN, 0};
    a.margin = a.detectable = a.needed = NAN;
    compare_series(all, &a);
    note_rate(&a);
    note_steps(&a);
    for (int i = 0; i < a.seeds; i++) {
        a.lost += run_lost(a.runs[i]);
        a.diverged += !strcmp(run_text(a.runs[i], "status"), "diverged");
    }
    a.parameters = run_number(a.runs[0], "parameters");
    a.attention = run_number(a.runs[0], "attention_parameters");
    a.real = run_number(a.runs[0], "real");
    a.accuracy = quantity_mean(a.runs, (int)a.seeds, "test_accuracy");
    a.loss = quantity_mean(a.runs, (int)a.seeds, "test_loss");
    return a;
}

/* The verdict, and what these seeds could have shown at the level that the
   first of all tests has to meet. */
static void
decide(const Outcomes *all, Outcome *a)
{
    const Paired *p = &a->against;
    bool less = a->judged && quantity_named(a->judged)->better == LESS;
    a->verdict = identical(p)            ? EQUAL
                 : isnan(p->differ)      ? UNTESTED
                 : p->same < SIGNIFICANT ? EQUAL
                 : p->differ < SIGNIFICANT
                     ? (p->difference > 0) == less ? WORSE : BETTER
                     : UNDECIDED;
    if (a->verdict == UNTESTED || !(p->deviation > 0))
        return;
    double alpha = SIGNIFICANT / all->comparisons, unit = p->deviation;
    int needed =
        seeds_to_tell(p->difference / unit, a->margin / unit, p->n, alpha);
    a->detectable = unit * detectable(p->n, alpha);
    if (a->verdict == UNDECIDED && needed)
        a->needed = needed;
}

/* The first of all comparisons that is of the same runs. Variants that do not
   use a setting of the grid are shown at each of its values: that is one test,
   not many. */
static int
first_of(const Outcomes *all, int i)
{
    const Outcome *a = &all->list[i];
    const Run *base = series_of(a->group, all->baseline).runs
                          ? series_of(a->group, all->baseline).runs[0]
                          : NULL;
    for (int k = 0; k < i; k++) {
        const Outcome *b = &all->list[k];
        Series other = series_of(b->group, all->baseline);
        if (a->seeds == b->seeds && other.count && other.runs[0] == base &&
            !memcmp(a->runs, b->runs, (size_t)a->seeds * sizeof *a->runs))
            return k;
    }
    return i;
}

/* Adjusts the p-values of all comparisons (Holm), then decides. Of a
   comparison's two hypotheses, that there is no difference and that there is
   one of the margin or more, one at most is true. */
static void
decide_all(Outcomes *all)
{
    double *p = allocate(2 * (size_t)all->count + 2, sizeof *p);
    for (int i = 0; i < all->count; i++) {
        const Paired *t = &all->list[i].against;
        bool tested =
            !isnan(t->differ) && !identical(t) && first_of(all, i) == i;
        p[2 * i] = tested ? t->differ : NAN;
        p[2 * i + 1] = tested ? t->same : NAN;
        all->comparisons += tested;
    }
    holm(p, 2 * all->count, all->comparisons);
    for (int i = 0; i < all->count; i++) {
        Outcome *a = &all->list[i];
        int first = first_of(all, i);
        if (!isnan(a->against.differ) && !identical(&a->against)) {
            a->against.differ = p[2 * first];
            a->against.same = p[2 * first + 1];
        }
        decide(all, a);
    }
    free(p);
}

/* What is given now; else what every command that trained these runs said. */
static const char *
said(const char *now, const Experiment *e, const char *key)
{
    const char *then =
        e->asked.count ? manifest_value(e->asked.text[0], key) : "";
    for (int i = 1; !now && then && i < e->asked.count; i++) {
        const char *other = manifest_value(e->asked.text[i], key);
        then = other && !strcmp(then, other) ? then : NULL;
    }
    return now ? now : then && *then ? then : NULL;
}

const char *
compared_by(const Request *r, const Experiment *e)
{
    const char *by = said(r->by, e, "by");
    Values v = {0};
    if (by)
        v = values_in(e, by);
    if (by && v.count < 2)
        usage("--by %s: not a setting in which these runs differ", by);
    values_free(&v);
    return by ? by : "variant";
}

/* What is given, else what was asked for, if it is one of those compared; else
   the first of these. Exits (2) where what is given is none of them. */
static const char *
baseline_among(const Request *r, const Experiment *e, const char *by)
{
    const char *baseline = said(r->baseline, e, "baseline");
    Values v = values_in(e, by);
    char *there = joined(&v, ", ");
    baseline = baseline ? baseline : BASELINE;
    bool found = index_in(there, baseline) >= 0;
    if (r->baseline && !found)
        usage("--baseline %s: none of the runs is of it; there are: %s",
              r->baseline, there);
    if (!found && strcmp(by, "variant"))
        baseline = interned(v.text[0]);
    values_free(&v);
    free(there);
    return baseline;
}

Outcomes
outcomes_of(const Request *r, const Experiment *e)
{
    const char *by = compared_by(r, e), *lr = experiment_said(e, "lr");
    Outcomes all = {.by = by,
                    .baseline = baseline_among(r, e, by),
                    .judge = said(r->judge, e, "judge"),
                    .margins = said(r->margin, e, "margin"),
                    .found = lr && !strcmp(lr, "auto")};
    int room = 0;
    if (all.judge)
        check_judged("judge", all.judge);
    if (all.judge && !values_in(e, all.judge).count)
        check_quantity(e, all.judge, false); /* exits */
    if (all.margins)
        check_margins(all.margins);
    all.groups = groups_of(e, by, "lr", NULL, &all.group_count);
    for (int g = 0; g < all.group_count; g++)
        for (int s = 0; s < all.groups[g].series_count; s++) {
            Outcome a =
                outcome_of(&all, &all.groups[g], all.groups[g].series[s].name);
            all.rates = a.rates > all.rates ? a.rates : all.rates;
            all.list = grow(all.list, all.count, &room, sizeof *all.list);
            all.list[all.count++] = a;
        }
    decide_all(&all);
    return all;
}

void
outcomes_free(Outcomes *all)
{
    for (int i = 0; i < all->count; i++)
        free(all->list[i].runs);
    free(all->list);
    groups_free(all->groups, all->group_count);
}

const char *
verdict_name(const char *judged, Verdict verdict)
{
    static const char *const words[] = {"untested", "undecided", "the same",
                                        "worse", "better"};
    bool neither = judged && quantity_named(judged)->better == NEITHER;
    return neither && verdict == BETTER  ? "more"
           : neither && verdict == WORSE ? "less"
                                         : words[verdict];
}

void
verdict_text(const Outcome *a, char text[VERDICT_SIZE])
{
    const Paired *p = &a->against;
    if (a->baseline)
        snprintf(text, VERDICT_SIZE, "the baseline");
    else if (a->verdict == UNTESTED)
        snprintf(text, VERDICT_SIZE, "%s",
                 a->diverged ? "runs diverged"
                 : p->n == 0 ? "no baseline"
                 : p->n == 1 ? "one seed, no test"
                             : "not comparable");
    else if (identical(p))
        snprintf(text, VERDICT_SIZE, "identical at %d seeds", p->n);
    else if (a->verdict == UNDECIDED)
        snprintf(text, VERDICT_SIZE, "undecided at %d seeds", p->n);
    else if (a->verdict == EQUAL)
        snprintf(text, VERDICT_SIZE, "the same within %.2g", a->margin);
    else
        snprintf(text, VERDICT_SIZE, "%s by %.3g",
                 verdict_name(a->judged, a->verdict), fabs(p->difference));
}
