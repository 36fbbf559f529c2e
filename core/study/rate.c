/* rate.c - chooses the learning rate at which a variant is judged, among those
   that were tried. */
#include <math.h>
#include <string.h>

#include "heart/fail.h"
#include "study/quantity.h"
#include "study/rate.h"

/* A run, and how it did: in a quantity and in its loss, more being better. */
typedef struct Trial {
    const Run *run;
    double merit, loss;
} Trial;

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

/* For what is judged on test data, which have no say, a run's merit is that on
   validation data. */
static Trial *
trials_of(const Run *const *runs, int count, const char *key)
{
    Trial *all = allocate((size_t)count + 1, sizeof *all);
    const char *read = !strcmp(key, "test_accuracy") ? "validation_accuracy"
                       : !strcmp(key, "test_loss")   ? "validation_loss"
                                                     : key;
    for (int i = 0; i < count; i++)
        all[i] = (Trial){runs[i], merit(runs[i], read),
                         merit(runs[i], "validation_loss")};
    return all;
}

/* A seed's run at the best rate. Rates are compared by the runs of all seeds
   except `but`: the better rate has more runs, then the better mean of the
   quantity, then the better mean loss. */
static const Run *
best_of(const Trial *all, int count, int seed, int but)
{
    const Run *best = NULL;
    double most[3] = {0};
    for (const Trial *own = all; own < all + count; own++) {
        double n = 0, sum = 0, loss = 0;
        if (own->run->config.seed != seed)
            continue;
        for (const Trial *t = all; t < all + count; t++)
            if (t->run->config.lr == own->run->config.lr &&
                t->run->config.seed != but) {
                n++;
                sum += t->merit;
                loss += t->loss;
            }
        double score[3] = {n, sum / n, loss / n};
        int i = 0;
        while (i < 2 && score[i] == most[i])
            i++;
        if (!best || score[i] > most[i]) {
            best = own->run;
            memcpy(most, score, sizeof most);
        }
    }
    return best;
}

const Run **
chosen_runs(const Run *const *runs, int count, const char *key, int *seeds,
            double *lr)
{
    const Run **chosen = allocate((size_t)count + 1, sizeof(const Run *));
    Trial *all = trials_of(runs, count, key);
    int first = count ? runs[0]->config.seed : 0, last = first - 1;
    bool several = count && runs[count - 1]->config.seed != first;
    *seeds = 0;
    *lr = count ? best_of(all, count, first, -1)->config.lr : NAN;
    for (int i = 0; i < count; i++) {
        int seed = runs[i]->config.seed;
        if (seed != last)
            chosen[(*seeds)++] = best_of(all, count, seed, several ? seed : -1);
        last = seed;
    }
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
