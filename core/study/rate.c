/* rate.c - at which learning rate a variant is judged: of those that were
   tried, or of those of a search. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "run/jobs.h"
#include "study/group.h"
#include "study/quantity.h"
#include "study/rate.h"

/* How a rate did: of how many seeds, how well they did in the quantity, and
   their loss. More is better, and the first that differs decides. */
typedef struct Score {
    double rank[3];
} Score;

static bool
outdoes(const Score *a, const Score *b)
{
    int i = 0;
    while (i < 2 && a->rank[i] == b->rank[i])
        i++;
    return a->rank[i] > b->rank[i];
}

/* What is read for a judged quantity where test data has no say. */
static const char *
chosen_by(const char *judge)
{
    return !strcmp(judge, "test_accuracy") ? "validation_accuracy"
           : !strcmp(judge, "test_loss")   ? "validation_loss"
                                           : judge;
}

/* A quantity, more being better, where a run that diverged or never got there
   is the worst there is. */
static double
merit(const Run *r, const char *key)
{
    const Quantity *q = quantity_named(key);
    double x = run_quantity(r, key);
    if (isnan(x))
        return q->median ? -2. * r->config.steps : -INFINITY;
    return q->better == LESS ? -x : x;
}

/* Runs, and of each how it did in a quantity and in its loss. */
typedef struct Tried {
    const Run *const *runs;
    int count;
    double *merit, *loss;
} Tried;

static Tried
tried(const Run *const *runs, int count, const char *key)
{
    Tried t = {.runs = runs, .count = count};
    t.merit = allocate(2 * (size_t)count + 1, sizeof *t.merit);
    t.loss = t.merit + count;
    for (int i = 0; i < count; i++) {
        t.merit[i] = merit(runs[i], chosen_by(key));
        t.loss[i] = merit(runs[i], "validation_loss");
    }
    return t;
}

/* Of the runs at that rate, except those of one seed. */
static Score
score_of(const Tried *t, double lr, int but)
{
    double sum = 0, loss = 0;
    int n = 0;
    for (int i = 0; i < t->count; i++) {
        const Config *c = &t->runs[i]->config;
        if (c->lr != lr || c->seed == but)
            continue;
        sum += t->merit[i];
        loss += t->loss[i];
        n++;
    }
    return (Score){{n, sum / n, loss / n}};
}

/* Of one seed's runs, the one at the best rate. */
static const Run *
best_of(const Tried *t, const Run *const *own, int count, int but)
{
    const Run *best = NULL;
    Score most;
    if (count == 1)
        return own[0];
    for (int i = 0; i < count; i++) {
        Score s = score_of(t, own[i]->config.lr, but);
        if (best && !outdoes(&s, &most))
            continue;
        best = own[i];
        most = s;
    }
    return best;
}

const Run *
best_run(const Run *const *runs, int count, const char *key)
{
    Tried t = tried(runs, count, key);
    const Run **own = allocate((size_t)count + 1, sizeof(const Run *));
    int n = 0;
    for (int i = 0; i < count; i++)
        if (runs[i]->config.seed == runs[0]->config.seed)
            own[n++] = runs[i];
    const Run *best = best_of(&t, own, n, -1);
    free(t.merit);
    free(own);
    return best;
}

static int
by_seed_and_rate(const void *a, const void *b)
{
    const Config *p = &(*(const Run *const *)a)->config;
    const Config *q = &(*(const Run *const *)b)->config;
    int order = (p->seed > q->seed) - (p->seed < q->seed);
    return order ? order : (p->lr > q->lr) - (p->lr < q->lr);
}

const Run **
chosen_runs(const Run *const *runs, int count, const char *key, int *seeds)
{
    const Run **chosen = allocate((size_t)count + 1, sizeof(const Run *));
    const Run **sorted = allocate((size_t)count + 1, sizeof(const Run *));
    Tried t = tried(runs, count, key);
    for (int i = 0; i < count; i++)
        sorted[i] = runs[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_seed_and_rate);
    *seeds = 0;
    for (int from = 0, to; from < count; from = to) {
        int seed = sorted[from]->config.seed;
        for (to = from; to < count && sorted[to]->config.seed == seed;)
            to++;
        bool single = from == 0 && to == count;
        chosen[(*seeds)++] =
            best_of(&t, sorted + from, to - from, single ? -1 : seed);
    }
    free(t.merit);
    free(sorted);
    return chosen;
}

const char *
rate_end(const Run *const *runs, int count, double lr)
{
    bool below = false, above = false;
    for (int i = 0; i < count; i++) {
        below |= runs[i]->config.lr < lr;
        above |= runs[i]->config.lr > lr;
    }
    return below == above ? NULL : above ? "lowest" : "highest";
}

bool
rates_wanted(const Request *r)
{
    const Values *v = given_to(r, "lr");
    return v->count && !strcmp(v->text[0], "auto");
}

void
rates_find(Request *r, Grid *g)
{
    const Values *optimizer = given_to(r, "optimizer");
    bool sgd = optimizer->count && !strcmp(optimizer->text[0], "sgd");
    const char *key = r->judge ? r->judge : "solved_at";
    Values *lr = given_to(r, "lr"), *seed = given_to(r, "seed"), seeds = *seed;
    Work work = r->work;
    char *place = format_text("%s/rates", work.out);
    experiment_open(work.out, g->asked); /* the directory around it */
    values_free(lr);
    *lr =
        values_cut(sgd ? "0.03,0.1,0.3,0.56,1,1.8,3,5.6,10"
                       : "0.0003,0.001,0.003,0.0056,0.01,0.018,0.03,0.056,0.1");
    *seed = values_cut("1001,1002,1003");
    Grid search = grid_of(r, manifest_of(r, "compare"));
    work.out = place;
    run_missing(&work, &search);
    Experiment e = finished(&work, &search);
    values_free(seed);
    *seed = seeds;
    const Run **list = allocate((size_t)e.count + 1, sizeof(const Run *));
    for (int i = 0; i < g->count; i++) {
        int count = 0;
        for (int k = 0; k < e.count; k++)
            if (!differ_in(&e.runs[k].config, &g->jobs[i].config, "lr seed"))
                list[count++] = &e.runs[k];
        const Run *best = best_run(list, count, key);
        if (best)
            job_rate(&g->jobs[i], best->config.lr);
    }
    grid_free(&search);
    experiment_free(&e);
    free(list);
    free(place);
}
