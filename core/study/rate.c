/* rate.c - at which learning rate a variant is judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "math/statistics.h"
#include "study/quantity.h"
#include "study/rate.h"

bool
outdoes(const Score *a, const Score *b)
{
    if (a->seeds != b->seeds)
        return a->seeds > b->seeds;
    for (int i = 0; i < 3; i++)
        if (a->rank[i] != b->rank[i])
            return a->rank[i] > b->rank[i];
    return false;
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

Score
score_of(const Run *const *runs, int count, double lr, int but, const char *key,
         double enough)
{
    const char *first = chosen_by(key ? key : "test_accuracy");
    double sum = 0, steps = 0, loss = 0;
    bool full = !key;
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (runs[i]->config.lr != lr || runs[i]->config.seed == but)
            continue;
        double x = merit(runs[i], first);
        full &= x >= enough;
        sum += x;
        steps += merit(runs[i], "solved_at");
        loss += merit(runs[i], "validation_loss");
        n++;
    }
    return full ? (Score){{1, steps / n, loss / n}, n}
                : (Score){{sum / n, 0, loss / n}, n};
}

double *
rates_of(const Run *const *runs, int count, int *rates)
{
    double *lr = allocate((size_t)count + 1, sizeof *lr);
    *rates = 0;
    for (int i = 0; i < count; i++)
        lr[i] = runs[i]->config.lr;
    median(lr, count); /* sorts */
    for (int i = 0; i < count; i++)
        if (i == 0 || lr[i] != lr[*rates - 1])
            lr[(*rates)++] = lr[i];
    return lr;
}

const Run **
chosen_runs(const Run *const *runs, int count, const char *key, int *seeds)
{
    const Run **chosen = allocate((size_t)count + 1, sizeof(const Run *));
    Score *best = allocate((size_t)count + 1, sizeof *best);
    int rates;
    *seeds = 0;
    free(rates_of(runs, count, &rates));
    for (int i = 0; i < count; i++) {
        int seed = runs[i]->config.seed, k = 0;
        while (k < *seeds && chosen[k]->config.seed != seed)
            k++;
        bool single = count <= rates; /* one seed */
        Score s = score_of(runs, count, runs[i]->config.lr, single ? -1 : seed,
                           key, NAN);
        if (k == *seeds || outdoes(&s, &best[k])) {
            chosen[k] = runs[i];
            best[k] = s;
        }
        *seeds += k == *seeds;
    }
    free(best);
    return chosen;
}
