/* outcome.c - how each variant fared on each task, and against the baseline. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "study/outcome.h"
#include "study/quantity.h"
#include "study/rate.h"
#include "heart/fail.h"

#define SIGNIFICANT 0.05

double
median_steps(double *x, int n, int steps, bool *beyond)
{
    int unsolved = 0;
    for (int i = 0; i < n; i++)
        if (!(x[i] > 0)) {
            x[i] = steps; /* or more */
            unsolved++;
        }
    *beyond = 2 * unsolved >= n;
    return median(x, n);
}

/* The numbers of one line of result.tsv in an outcome's runs; to be freed. */
static double *
numbers_of(const Outcome *a, const char *key)
{
    double *x = allocate((size_t)a->seeds + 1, sizeof *x);
    for (int i = 0; i < a->seeds; i++)
        x[i] = run_quantity(a->runs[i], key);
    return x;
}

static Mean
mean_of(const Outcome *a, const char *key)
{
    double *x = numbers_of(a, key);
    Mean m = values_mean(key, x, a->seeds);
    free(x);
    return m;
}

void
check_judged(const char *option, const char *name)
{
    const Quantity *q = quantity_named(name);
    if (q->fixed)
        usage("--%s %s: training does not decide it; verdicts are about what "
              "it does, like test_loss",
              option, name);
    if (*q->name == '*' || setting_named(name))
        usage("--%s \"%s\": no run has such a number; take test_loss, "
              "test_accuracy, solved_at, or what --log measures",
              option, name);
}

void
check_margins(const char *text)
{
    Values given = values_cut(text);
    for (int i = 0; i < given.count; i++) {
        const char *sign = strchr(given.text[i], '=');
        char *end = "";
        double x = sign && sign > given.text[i] ? strtod(sign + 1, &end) : 0;
        if (!(x > 0) || !isfinite(x) || strcmp(end + (*end == '%'), ""))
            usage("--margin \"%s\": give a quantity and the difference that is "
                  "none, in its unit or in per cent of the baseline's, as in "
                  "test_accuracy=0.01,solved_at=10%%",
                  given.text[i]);
        char *name =
            format_text("%.*s", (int)(sign - given.text[i]), given.text[i]);
        check_judged("margin", name);
        free(name);
    }
    values_free(&given);
}

/* The differences of those seeds that both have. */
static Paired
compare(const Outcome *a, const Outcome *base, const char *key, double margin)
{
    double *x = allocate((size_t)a->seeds, sizeof *x);
    double *y = allocate((size_t)a->seeds, sizeof *y);
    int n = 0, k = 0;
    for (int i = 0; i < a->seeds; i++) /* most stand in the same order */
        for (int tried = 0; tried < base->seeds; tried++) {
            const Run *other = base->runs[k++ % base->seeds];
            if (a->runs[i]->config.seed != other->config.seed)
                continue;
            x[n] = run_judged(a->runs[i], key);
            y[n++] = run_judged(other, key);
            break;
        }
    Paired p = paired_t(x, y, n, margin);
    free(x);
    free(y);
    return p;
}

/* Are all seeds within the margin of the best there can be? */
static bool
saturated(const Outcome *a, const Quantity *q, double margin)
{
    bool all = q->scale == SHARE && q->better == MORE;
    for (int i = 0; i < a->seeds; i++)
        all &= run_judged(a->runs[i], q->name) >= 1 - margin;
    return all;
}

/* Of all its runs, those of the one that was trained longest. */
static int
most_steps(const Outcome *a)
{
    double most = 0;
    for (int i = 0; i < a->seeds; i++)
        most = fmax(most, run_number(a->runs[i], "steps"));
    return (int)most;
}

static Outcome
outcome_of(const Outcomes *all, const Group *g, const Series *s)
{
    Outcome a = {.group = g, .series = s->name, .seeds = s->count};
    a.runs = allocate((size_t)s->count, sizeof(const Run *));
    memcpy(a.runs, s->runs, (size_t)s->count * sizeof(const Run *));
    choose_rates(all, &a);
    double *steps = numbers_of(&a, "solved_at");
    for (int i = 0; i < a.seeds; i++) {
        a.solved += steps[i] > 0;
        a.lost += run_lost(a.runs[i]);
        a.diverged += !strcmp(run_text(a.runs[i], "status"), "diverged");
    }
    a.steps = median_steps(steps, a.seeds, most_steps(&a), &a.beyond);
    free(steps);
    a.parameters = run_number(a.runs[0], "parameters");
    a.attention = run_number(a.runs[0], "attention_parameters");
    a.real = a.runs[0]->real >= 0 ? a.runs[0]->real : NAN;
    a.accuracy = mean_of(&a, "test_accuracy");
    a.loss = mean_of(&a, "test_loss");
    a.against = (Paired){NAN, NAN, NAN, NAN, NAN, NAN, 0};
    a.margin = a.detectable = NAN;
    return a;
}

/* Holds an outcome against the baseline: in what is asked for, or in the first
   quantity whose turn it is that is not saturated in both, and that all seeds
   have. */
static void
hold_against(const Outcomes *all, Outcome *a, const Outcome *base)
{
    for (int turn = 1; isnan(a->against.differ); turn++) {
        const char *key = all->judge && turn == 1 ? all->judge
                          : all->judge            ? NULL
                                                  : quantity_at(turn);
        if (!key)
            return;
        const Quantity *q = quantity_named(key);
        double margin = margin_of(all->margins, key, base->runs, base->seeds);
        bool full = saturated(a, q, margin) && saturated(base, q, margin);
        a->saturated |= full && !all->judge;
        if (full && !all->judge)
            continue;
        a->judged = key;
        a->margin = margin;
        a->against = compare(a, base, key, margin);
    }
}

static bool
identical(const Paired *p)
{
    return p->n > 1 && p->difference == 0 && p->deviation == 0;
}

/* The verdict, and what these seeds could have shown at the level that the
   first of all tests has to meet. */
static void
decide(const Outcomes *all, Outcome *a)
{
    const Paired *p = &a->against;
    bool less = a->judged && quantity_named(a->judged)->better == LESS;
    if (identical(p))
        a->verdict = EQUAL;
    else if (isnan(p->differ))
        a->verdict = UNTESTED;
    else if (p->same < SIGNIFICANT)
        a->verdict = EQUAL;
    else if (p->differ < SIGNIFICANT)
        a->verdict = (p->difference > 0) == less ? WORSE : BETTER;
    else
        a->verdict = UNDECIDED;
    if (a->verdict == UNTESTED || identical(p) || p->deviation == 0)
        return;
    double alpha = SIGNIFICANT / all->comparisons, unit = p->deviation;
    a->detectable = unit * detectable(p->n, alpha);
    if (a->verdict == UNDECIDED)
        a->needed =
            seeds_to_tell(p->difference / unit, a->margin / unit, p->n, alpha);
}

/* Leaves a verdict undecided that a rate which was not tried might turn round:
   a better one of whoever is behind, or of either where they are the same. */
static void
doubt(const Outcomes *all, Outcome *a, const Outcome *base)
{
    double limit = fabs(a->against.difference);
    bool chosen = a->rates > 1 || base->rates > 1 || all->found;
    if (!chosen || a->verdict < EQUAL || identical(&a->against) ||
        quantity_named(a->judged)->better == NEITHER)
        return;
    double mine = a->verdict == BETTER ? 0 : may_gain(all, a, a->judged);
    double its = a->verdict == WORSE ? 0 : may_gain(all, base, a->judged);
    if (a->verdict == EQUAL)
        limit = a->margin - limit;
    if (fmax(mine, its) <= limit)
        return;
    a->verdict = UNDECIDED;
    a->behind = mine > its ? a->series : base->series;
    a->gain = fmax(mine, its);
}

static const Outcome *
baseline_of(const Outcomes *all, const Outcome *a)
{
    for (int k = 0; k < all->count; k++) {
        const Outcome *base = &all->list[k];
        if (base != a && base->group == a->group &&
            !strcmp(base->series, all->baseline))
            return base;
    }
    return NULL;
}

static bool
same_runs(const Outcome *a, const Outcome *b)
{
    return a && b && a->seeds == b->seeds &&
           !memcmp(a->runs, b->runs, (size_t)a->seeds * sizeof *a->runs);
}

/* The first comparison of the very runs that comparison i is of. Variants that
   do not use a setting of the grid are shown at each of its values: that is one
   test, not many. */
static int
first_of(const Outcomes *all, const Outcome *const *base, int i)
{
    int k = 0;
    while (k < i && !(same_runs(&all->list[k], &all->list[i]) &&
                      same_runs(base[k], base[i])))
        k++;
    return k;
}

/* Compares every outcome with the baseline of its group. Of a comparison's two
   hypotheses, that there is no difference and that there is one of the margin
   or more, one at most is true. */
static void
compare_all(Outcomes *all)
{
    size_t size = (size_t)all->count + 1;
    double *p = allocate(2 * size, sizeof *p);
    const Outcome **base = allocate(size, sizeof *base);
    int *first = allocate(size, sizeof *first);
    for (int i = 0; i < all->count; i++) {
        Outcome *a = &all->list[i];
        base[i] = baseline_of(all, a);
        if (base[i])
            hold_against(all, a, base[i]);
        first[i] = first_of(all, base, i);
        bool tested = first[i] == i && !isnan(a->against.differ) &&
                      !identical(&a->against);
        p[2 * i] = tested ? a->against.differ : NAN;
        p[2 * i + 1] = tested ? a->against.same : NAN;
        all->comparisons += tested;
    }
    holm(p, 2 * all->count, all->comparisons);
    for (int i = 0; i < all->count; i++) {
        Outcome *a = &all->list[i];
        if (!identical(&a->against)) {
            a->against.differ = p[2 * first[i]];
            a->against.same = p[2 * first[i] + 1];
        }
        decide(all, a);
        if (base[i])
            doubt(all, a, base[i]);
    }
    free(first);
    free(base);
    free(p);
}

/* Exits where what is judged is in no run's result. */
static void
check_judge(const char *judge, const Run *runs, int count)
{
    bool found = false;
    check_judged("judge", judge);
    for (int i = 0; i < count && !found; i++)
        found = run_has(&runs[i], judge);
    if (!found)
        usage("--judge \"%s\": no line of result.tsv; there are: %s", judge,
              quantity_names(runs, false));
}

/* What is given now, else what was when the runs were made. */
static const char *
said(const char *now, const Experiment *e, const char *key)
{
    return now ? now : experiment_said(e, key);
}

/* The runs in which --lr auto has found the rates: in `rates` beside those that
   are judged. */
static Experiment
search_of(const Experiment *e)
{
    Values places = {0};
    for (int i = 0; i < e->count; i++) {
        const char *path = e->runs[i].path, *end = strrchr(path, '/');
        char *place = format_text("%.*s/rates", end ? (int)(end - path) : 1,
                                  end ? path : ".");
        if (access(within(place, "experiment.tsv").text, F_OK))
            free(place);
        else
            values_add(&places, place);
    }
    series_sort(&places);
    Experiment found = {0};
    if (places.count)
        found = experiment_read((const char *const *)places.text, places.count);
    values_free(&places);
    return found;
}

const char *
compared_by(const Request *o, const Experiment *e)
{
    const char *by = said(o->by, e, "by");
    Values v = {0};
    if (by && setting_named(by))
        v = values_in(e, by);
    if (by && v.count < 2)
        usage("--by %s: not a setting in which these runs differ", by);
    values_free(&v);
    return by ? by : "variant";
}

/* What is given, else what was asked for, if it is one of those compared; else
   the first of these. */
static const char *
baseline_among(const Request *o, const Experiment *e, const char *by)
{
    const char *baseline = said(o->baseline, e, "baseline");
    Values v = values_in(e, by);
    baseline = baseline ? baseline : BASELINE;
    bool found = !strcmp(by, "variant");
    for (int i = 0; i < v.count; i++)
        found |= !strcmp(v.text[i], baseline);
    baseline = interned(found ? baseline : v.text[0]);
    values_free(&v);
    return baseline;
}

Outcomes
outcomes_of(const Request *o, const Experiment *e)
{
    const char *by = compared_by(o, e);
    Outcomes all = {.by = by,
                    .baseline = baseline_among(o, e, by),
                    .judge = said(o->judge, e, "judge"),
                    .margins = said(o->margin, e, "margin")};
    const char *lr = experiment_said(e, "lr");
    all.found = lr && !strcmp(lr, "auto");
    all.search = all.found ? search_of(e) : (Experiment){0};
    int room = 0;
    if (all.judge)
        check_judge(all.judge, e->runs, e->count);
    if (all.margins)
        check_margins(all.margins);
    all.groups = groups_of(e, by, "lr", NULL, &all.group_count);
    for (int g = 0; g < all.group_count; g++)
        for (int s = 0; s < all.groups[g].series_count; s++) {
            Outcome a =
                outcome_of(&all, &all.groups[g], &all.groups[g].series[s]);
            all.rates = a.rates > all.rates ? a.rates : all.rates;
            all.list = grow(all.list, all.count, &room, sizeof *all.list);
            all.list[all.count++] = a;
        }
    compare_all(&all);
    return all;
}

/* A variant's runs at one rate. */
static Outcome
at_rate(const Outcome *a, double lr)
{
    const Series *s = group_series(a->group, a->series);
    Outcome at = {.group = a->group, .series = a->series, .lr = lr};
    at.runs = allocate((size_t)s->count, sizeof(const Run *));
    at.against = (Paired){NAN, NAN, NAN, NAN, NAN, NAN, 0};
    for (int i = 0; i < s->count; i++)
        if (s->runs[i]->config.lr == lr)
            at.runs[at.seeds++] = s->runs[i];
    return at;
}

char *
verdicts_by_rate(const Outcomes *all, const Outcome *a)
{
    const Series *s = group_series(a->group, a->series);
    Outcome every = {.runs = s->runs, .seeds = s->count}, base = *a;
    Outcomes alone = *all;
    char *text = copy_text(""), n[32];
    int count;
    double *rates = rates_of(&every, &count);
    alone.comparisons = 1;
    base.series = all->baseline;
    for (int k = 0; k < count; k++) {
        Outcome one = at_rate(a, rates[k]), other = at_rate(&base, rates[k]);
        if (one.seeds && other.seeds)
            hold_against(&alone, &one, &other);
        decide(&alone, &one);
        replace(&text, format_text("%s%s%s at %s", text, k ? ", " : "",
                                   verdict_name(one.judged, one.verdict),
                                   number_text(rates[k], 3, n)));
        free(one.runs);
        free(other.runs);
    }
    free(rates);
    return text;
}

void
outcomes_free(Outcomes *all)
{
    for (int i = 0; i < all->count; i++)
        free(all->list[i].runs);
    free(all->list);
    experiment_free(&all->search);
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

const char *
verdict_word(const Outcome *a)
{
    return a->verdict == EQUAL ? "same" : verdict_name(a->judged, a->verdict);
}

void
verdict_text(const Outcomes *all, const Outcome *a, char text[VERDICT_SIZE])
{
    const Paired *p = &a->against;
    if (!strcmp(a->series, all->baseline))
        snprintf(text, VERDICT_SIZE, "the baseline");
    else if (a->verdict == UNTESTED)
        snprintf(text, VERDICT_SIZE, "%s",
                 a->diverged ? "runs diverged"
                 : p->n == 0 ? "no baseline"
                 : p->n == 1 ? "one seed, no test"
                             : "not comparable");
    else if (identical(p))
        snprintf(text, VERDICT_SIZE, "identical at %d seeds", p->n);
    else if (a->behind)
        snprintf(text, VERDICT_SIZE, "undecided at these rates");
    else if (a->verdict == UNDECIDED)
        snprintf(text, VERDICT_SIZE, "undecided at %d seeds", p->n);
    else if (a->verdict == EQUAL)
        snprintf(text, VERDICT_SIZE, "the same within %.2g", a->margin);
    else
        snprintf(text, VERDICT_SIZE, "%s by %.3g",
                 verdict_name(a->judged, a->verdict), fabs(p->difference));
}
