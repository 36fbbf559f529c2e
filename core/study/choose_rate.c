/* choose_rate.c - chooses the learning rate at which a variant is judged, among
   those that were tried. */
#include <math.h>
#include <string.h>

#include "study/known_quantities.h"
#include "study/choose_rate.h"

/* A run with its merit in a quantity, and in validation loss. A larger merit is
   better. */
typedef struct Trial {
    const Run *run;
    double merit, loss_merit;
} Trial;

/* The merit of a run in a quantity. A run that diverged or never reached the
   threshold has less merit than all others. */
static double
merit(const Run *r, const char *key)
{
    const Quantity *q = quantity_named(key);
    double x = run_value_number(r, key);
    if (isnan(x) && q->median) /* steps to the threshold: twice all its steps */
        return -2. * r->config.steps;
    if (isnan(x))
        return -INFINITY;
    return q->better == LESS ? -x : x;
}

/* The trials of these runs. A quantity on test data is replaced by the same on
   validation data, so that no rate is chosen on test data. */
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

/* The score of a learning rate: the number of runs that have it, and the means
   of their merits. */
typedef struct Score {
    double runs, merit, loss_merit;
} Score;

/* The score of a rate, from the runs of all seeds except one. */
static Score
score_of(const Trial *all, int count, double lr, int except)
{
    Score s = {0};
    for (const Trial *t = all; t < all + count; t++)
        if (t->run->config.lr == lr && t->run->config.seed != except) {
            s.runs++;
            s.merit += t->merit;
            s.loss_merit += t->loss_merit;
        }
    s.merit /= s.runs;
    s.loss_merit /= s.runs;
    return s;
}

/* Is a the better score? The one with more runs is better; of two with as many,
   the one with the better mean of the quantity; and if these means are equal,
   too, the one with the better mean loss. */
static bool
is_better(Score a, Score b)
{
    if (a.runs != b.runs)
        return a.runs > b.runs;
    if (a.merit != b.merit)
        return a.merit > b.merit;
    return a.loss_merit > b.loss_merit;
}

/* A seed's run at the best of its rates. The rates are compared by the runs of
   all seeds except one. */
static const Run *
best_of(const Trial *all, int count, int seed, int except)
{
    const Run *best = NULL;
    Score most = {0};
    for (const Trial *own = all; own < all + count; own++) {
        if (own->run->config.seed != seed)
            continue;
        Score score = score_of(all, count, own->run->config.lr, except);
        if (!best || is_better(score, most)) {
            best = own->run;
            most = score;
        }
    }
    return best;
}

/* The runs are sorted, so the runs of one seed are adjacent. */
const Run **
chosen_runs(const Run *const *runs, int count, const char *key, int *seeds,
            double *lr)
{
    const Run **chosen = allocate((size_t)count + 1, sizeof(const Run *));
    enum { NO_SEED = -1 };
    *seeds = 0;
    *lr = NAN;
    if (!count)
        return chosen;
    /* Each seed is judged at the rate that was best for the others. A single
       seed has no others, and is judged at its own best rate. */
    Trial *all = trials_of(runs, count, key);
    int first = runs[0]->config.seed;
    bool several = runs[count - 1]->config.seed != first;
    *lr = best_of(all, count, first, NO_SEED)->config.lr;
    for (int i = 0; i < count; i++) {
        int seed = runs[i]->config.seed;
        if (i > 0 && seed == runs[i - 1]->config.seed)
            continue;
        chosen[*seeds] = best_of(all, count, seed, several ? seed : NO_SEED);
        (*seeds)++;
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
    if (below == above)
        return NULL;
    return above ? "lowest" : "highest";
}
