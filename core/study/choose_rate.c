/* choose_rate.c - chooses the learning rate at which a variant is judged, among
   those that were tried. */
#include <math.h>
#include <string.h>

#include "study/known_quantities.h"
#include "study/choose_rate.h"

/* A run with its merit in the judged quantity, and its merit in validation
   loss. A larger merit is better. */
typedef struct Trial {
    const Run *run;
    double merit, loss_merit;
} Trial;

/* The merit of a run in the quantity `key`. A run that diverged has no number,
   and gets the least merit. A run that never reached the threshold counts as if
   it had reached it after twice its steps, so that a mean over seeds is finite.
 */
static double
merit(const Run *r, const char *key)
{
    const Quantity *q = quantity_named(key);
    double x = run_value_number(r, key);
    if (isnan(x) && q->steps)
        x = 2. * r->config.steps;
    if (isnan(x))
        return -INFINITY;
    return q->better == LESS ? -x : x;
}

/* Makes a trial of each run. A quantity on test data is replaced by the same
   quantity on validation data, so that no rate is chosen on test data. */
static Trial *
make_trials(const Run *const *runs, int count, const char *key)
{
    Trial *all = allocate((size_t)count + 1, sizeof *all);
    if (!strcmp(key, "test_accuracy"))
        key = "validation_accuracy";
    if (!strcmp(key, "test_loss"))
        key = "validation_loss";
    for (int i = 0; i < count; i++)
        all[i] = (Trial){.run = runs[i],
                         .merit = merit(runs[i], key),
                         .loss_merit = merit(runs[i], "validation_loss")};
    return all;
}

/* How well the runs at one learning rate did. */
typedef struct Score {
    int runs;                 /* the number of runs */
    double merit, loss_merit; /* means over these runs */
} Score;

/* In the functions below, `left_out` is a seed, or NO_SEED if no seed is left
   out. */
enum { NO_SEED = -1 };

/* The score of the rate lr, over the runs of all seeds except `left_out`. If
   there are no such runs, the means are NaN. */
static Score
score_of(const Trial *all, int count, double lr, int left_out)
{
    Score s = {0};
    for (const Trial *t = all; t < all + count; t++)
        if (t->run->config.lr == lr && t->run->config.seed != left_out) {
            s.runs++;
            s.merit += t->merit;
            s.loss_merit += t->loss_merit;
        }
    s.merit /= s.runs;
    s.loss_merit /= s.runs;
    return s;
}

/* Returns whether a is better than b. The rate with more runs is better, since
   a run may have failed. If both have as many, the better mean of the quantity
   decides; if that is equal too, the better mean loss. */
static bool
is_better(Score a, Score b)
{
    if (a.runs != b.runs)
        return a.runs > b.runs;
    if (a.merit != b.merit)
        return a.merit > b.merit;
    return a.loss_merit > b.loss_merit;
}

/* The run of `seed` at the best of its rates. A rate is judged by the runs of
   all seeds except `left_out`. To let only the other seeds choose the rate,
   `left_out` is `seed` itself. */
static const Run *
best_of(const Trial *all, int count, int seed, int left_out)
{
    const Run *best = NULL;
    Score best_score = {0};
    for (const Trial *t = all; t < all + count; t++) {
        if (t->run->config.seed != seed)
            continue;
        Score score = score_of(all, count, t->run->config.lr, left_out);
        if (!best || is_better(score, best_score)) {
            best = t->run;
            best_score = score;
        }
    }
    return best;
}

/* The runs are sorted, so the runs of one seed are adjacent. */
Chosen
chosen_runs(const Run *const *runs, int count, const char *key)
{
    Chosen c = {.lr = NAN};
    c.runs = allocate((size_t)count + 1, sizeof(const Run *));
    if (!count)
        return c;
    Trial *all = make_trials(runs, count, key);
    int first = runs[0]->config.seed, last = runs[count - 1]->config.seed;
    bool single_seed = first == last;
    /* If no seed is left out, every seed gets the same best rate. */
    c.lr = best_of(all, count, first, NO_SEED)->config.lr;
    for (int i = 0; i < count; i++) {
        int seed = runs[i]->config.seed;
        bool is_new = i == 0 || seed != runs[i - 1]->config.seed;
        int left_out = single_seed ? NO_SEED : seed;
        if (is_new)
            c.runs[c.seeds++] = best_of(all, count, seed, left_out);
    }
    return c;
}

const char *
rate_end(const Run *const *runs, int count, double lr)
{
    bool below = false, above = false;
    for (int i = 0; i < count; i++) {
        below |= runs[i]->config.lr < lr;
        above |= runs[i]->config.lr > lr;
    }
    if (below == above) /* both are true, or there are no other rates */
        return NULL;
    return above ? "lowest" : "highest";
}
