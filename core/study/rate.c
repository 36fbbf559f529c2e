/* rate.c - chooses the learning rate at which a variant is judged, among those
   that were tried. */
#include <math.h>
#include <string.h>

#include "heart/fail.h"
#include "study/quantity.h"
#include "study/rate.h"

/* How well a run did, in a quantity and in its loss. More is better. */
typedef struct Trial {
    const Run *run;
    double merit, loss;
} Trial;

/* How well a run did in a quantity, as a number of which more is better. A run
   that diverged, or never reached the threshold, is worse than all others. */
static double
merit(const Run *r, const char *key)
{
    const Quantity *q = quantity_named(key);
    double x = run_quantity(r, key);
    if (isnan(x) && q->median) /* steps to the threshold: twice all its steps */
        return -2. * r->config.steps;
    if (isnan(x))
        return -INFINITY;
    return q->better == LESS ? -x : x;
}

/* What is judged on test data is chosen on validation data, so that the choice
   does not see the test data. */
static Trial *
trials_of(const Run *const *runs, int count, const char *key)
{
    Trial *all = allocate((size_t)count + 1, sizeof *all);
    if (!strcmp(key, "test_accuracy"))
        key = "validation_accuracy";
    if (!strcmp(key, "test_loss"))
        key = "validation_loss";
    for (int i = 0; i < count; i++)
        all[i] = (Trial){runs[i], merit(runs[i], key),
                         merit(runs[i], "validation_loss")};
    return all;
}

/* A seed's run at the best rate. Rates are compared by the runs of all seeds
   except `but`: the best rate has the most runs; of these, the best mean of the
   quantity; of these, the best mean loss. */
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
