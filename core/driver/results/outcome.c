/* outcome.c - how each variant fared on each task, and against the baseline. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "driver/results/outcome.h"
#include "driver/results/quantity.h"

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
        x[i] = run_number(a->runs[i], key);
    return x;
}

static Mean
mean_of(const Outcome *a, const char *key)
{
    double *x = numbers_of(a, key);
    Mean m = bootstrap(x, a->seeds);
    free(x);
    return m;
}

/* Mean of a validation quantity over an outcome's runs at one rate, where a
   diverged run counts as the worst there is; *seeds of them. */
static double
validation(const Outcome *a, double lr, const char *key, double worst,
           int *seeds)
{
    double sum = 0;
    *seeds = 0;
    for (int i = 0; i < a->seeds; i++) {
        if (a->runs[i]->config.lr != lr)
            continue;
        double x = run_number(a->runs[i], key);
        sum += isnan(x) ? worst : x;
        ++*seeds;
    }
    return sum / *seeds;
}

/* Chooses the rate, counts those there were, and keeps the runs at it. One at
   which a seed failed is none to choose. */
static void
choose_rate(Outcome *a)
{
    int most = 0, kept = 0;
    double best[2] = {0, 0}, *seen = allocate((size_t)a->seeds, sizeof *seen);
    for (int i = 0; i < a->seeds; i++) {
        double lr = a->runs[i]->config.lr;
        int k = 0, seeds;
        while (k < a->rates && seen[k] != lr)
            k++;
        if (k < a->rates)
            continue;
        seen[a->rates++] = lr;
        double accuracy =
            validation(a, lr, "validation_accuracy", -INFINITY, &seeds);
        double loss = validation(a, lr, "validation_loss", INFINITY, &seeds);
        bool better = accuracy > best[0] ||
                      (accuracy == best[0] &&
                       (loss < best[1] || (loss == best[1] && lr < a->lr)));
        if (seeds > most || (seeds == most && better)) {
            most = seeds;
            best[0] = accuracy;
            best[1] = loss;
            a->lr = lr;
        }
    }
    free(seen);
    for (int i = 0; i < a->seeds; i++)
        if (a->runs[i]->config.lr == a->lr)
            a->runs[kept++] = a->runs[i];
    a->seeds = kept;
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
outcome_of(const Group *g, const char *series)
{
    Outcome a = {.group = g, .series = series};
    a.runs = series_runs(g, "variant", series, &a.seeds);
    choose_rate(&a);
    double *steps = numbers_of(&a, "solved_at");
    for (int i = 0; i < a.seeds; i++) {
        a.solved += steps[i] > 0;
        a.diverged += !strcmp(run_text(a.runs[i], "status"), "diverged");
    }
    a.steps = median_steps(steps, a.seeds, most_steps(&a), &a.beyond);
    free(steps);
    a.parameters = run_number(a.runs[0], "parameters");
    a.attention = run_number(a.runs[0], "attention_parameters");
    a.accuracy = mean_of(&a, "test_accuracy");
    a.loss = mean_of(&a, "test_loss");
    a.against = (Paired){NAN, NAN, 0};
    return a;
}

/* A number that is judged. There is none where a seed never got to the
   threshold, or where the variant has no such number. */
static double
judged(const Run *r, const char *key)
{
    double x = run_has(r, key) ? run_number(r, key) : NAN;
    return quantity_named(key)->median && x == 0 ? NAN : x;
}

/* The differences of those seeds that both have. */
static Paired
compare(const Outcome *a, const Outcome *base, const char *key)
{
    double *x = allocate((size_t)a->seeds, sizeof *x);
    double *y = allocate((size_t)a->seeds, sizeof *y);
    int n = 0, k = 0;
    for (int i = 0; i < a->seeds; i++) /* most stand in the same order */
        for (int tried = 0; tried < base->seeds; tried++) {
            const Run *other = base->runs[k++ % base->seeds];
            if (a->runs[i]->config.seed != other->config.seed)
                continue;
            x[n] = judged(a->runs[i], key);
            y[n++] = judged(other, key);
            break;
        }
    Paired p = paired_t(x, y, n);
    free(x);
    free(y);
    return p;
}

bool
outcome_compared(const Outcome *a)
{
    return !isnan(a->against.p);
}

/* Holds every outcome against the baseline of its group. */
static void
compare_all(Outcomes *all)
{
    double *p = allocate((size_t)all->count + 1, sizeof *p);
    for (int i = 0; i < all->count; i++) {
        Outcome *a = &all->list[i];
        p[i] = NAN;
        for (int k = 0; k < all->count; k++) {
            const Outcome *base = &all->list[k];
            if (k == i || base->group != a->group ||
                strcmp(base->series, all->baseline))
                continue;
            a->against = compare(a, base, all->judged);
            p[i] = a->against.p;
        }
        all->comparisons += !isnan(p[i]);
    }
    holm(p, all->count);
    for (int i = 0; i < all->count; i++)
        all->list[i].against.p = p[i];
    free(p);
}

/* Exits where what is judged is in no run's result, or was decided before any
   was trained. */
static void
check_judge(const char *judge, const Run *runs, int count)
{
    bool found = false;
    if (quantity_named(judge)->fixed)
        usage("--judge %s: training does not decide it; verdicts are about "
              "what it does, like test_loss",
              judge);
    for (int i = 0; i < count && !found; i++)
        found = run_has(&runs[i], judge);
    if (!found)
        usage("--judge \"%s\": no line of result.tsv; there are: %s", judge,
              quantity_names(runs, false));
}

/* What is given now, else what was when the runs were made. */
static const char *
baseline_of(const Options *o, const Experiment *e)
{
    const char *then = experiment_said(e, "baseline");
    return o->baseline ? o->baseline : then ? then : BASELINE;
}

Outcomes
outcomes_of(const Options *o, const Experiment *e)
{
    Outcomes all = {.baseline = baseline_of(o, e),
                    .judged = o->judge ? o->judge : "test_accuracy"};
    int room = 0;
    check_judge(all.judged, e->runs, e->count);
    all.groups = groups_of(e, "variant", "lr", &all.group_count);
    for (int g = 0; g < all.group_count; g++)
        for (int s = 0; s < all.groups[g].series.count; s++) {
            Outcome a =
                outcome_of(&all.groups[g], all.groups[g].series.text[s]);
            all.rates = a.rates > all.rates ? a.rates : all.rates;
            all.list = grow(all.list, all.count, &room, sizeof *all.list);
            all.list[all.count++] = a;
        }
    compare_all(&all);
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

int
verdict(const Outcomes *all, const Outcome *a)
{
    if (!outcome_compared(a) || a->against.p >= SIGNIFICANT)
        return 0;
    int more = quantity_named(all->judged)->better == LESS ? -1 : 1;
    return a->against.difference > 0 ? more : -more;
}

void
verdict_text(const Outcomes *all, const Outcome *a, char text[VERDICT_SIZE])
{
    int way = verdict(all, a);
    if (!strcmp(a->series, all->baseline))
        snprintf(text, VERDICT_SIZE, "the baseline");
    else if (!outcome_compared(a))
        snprintf(text, VERDICT_SIZE, "%s",
                 a->diverged         ? "runs diverged"
                 : a->against.n == 0 ? "no baseline"
                 : a->against.n == 1 ? "one seed, no test"
                                     : "not comparable");
    else if (way == 0)
        snprintf(text, VERDICT_SIZE, "no difference detected at %d seeds",
                 a->against.n);
    else
        snprintf(text, VERDICT_SIZE, "%s by %.2g",
                 quantity_named(all->judged)->better == NEITHER
                     ? a->against.difference > 0 ? "more" : "less"
                 : way > 0 ? "better"
                           : "worse",
                 fabs(a->against.difference));
}
