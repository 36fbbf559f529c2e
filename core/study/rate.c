/* rate.c - chooses the learning rate at which a variant is judged, among the
   rates that were tried, or that a search tries. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "run/jobs.h"
#include "study/group.h"
#include "study/quantity.h"
#include "study/rate.h"

/* A run, and how it did: in a quantity and in its loss, more being better. */
typedef struct Trial {
    const Run *run;
    int seed;
    double lr, merit, loss;
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

static int
by_seed_and_rate(const void *a, const void *b)
{
    const Trial *p = a, *q = b;
    int order = (p->seed > q->seed) - (p->seed < q->seed);
    return order ? order : (p->lr > q->lr) - (p->lr < q->lr);
}

/* The runs by seed and rate. For what is judged on test data, which have no
   say, their merit is that on validation data. */
static Trial *
trials_of(const Run *const *runs, int count, const char *key)
{
    Trial *all = allocate((size_t)count + 1, sizeof *all);
    const char *read = !strcmp(key, "test_accuracy") ? "validation_accuracy"
                       : !strcmp(key, "test_loss")   ? "validation_loss"
                                                     : key;
    for (int i = 0; i < count; i++) {
        const Run *r = runs[i];
        all[i] = (Trial){r, r->config.seed, r->config.lr, merit(r, read),
                         merit(r, "validation_loss")};
    }
    qsort(all, (size_t)count, sizeof *all, by_seed_and_rate);
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
        if (own->seed != seed)
            continue;
        for (const Trial *t = all; t < all + count; t++)
            if (t->lr == own->lr && t->seed != but) {
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
    bool several = count && all[count - 1].seed != all->seed;
    *seeds = 0;
    *lr = count ? best_of(all, count, all->seed, -1)->config.lr : NAN;
    for (int i = 0; i < count; i++)
        if (!i || all[i].seed != all[i - 1].seed)
            chosen[(*seeds)++] =
                best_of(all, count, all[i].seed, several ? all[i].seed : -1);
    free(all);
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
    const char *key = r->judge ? r->judge : "solved_at";
    Values *lr = given_to(r, "lr"), *seed = given_to(r, "seed"), seeds = *seed;
    Work work = r->work;
    experiment_open(work.out, g->asked); /* the directory around it */
    values_free(lr);
    *lr = values_cut("0.0003,0.001,0.003,0.0056,0.01,0.018,0.03,0.056,0.1");
    *seed = values_cut("1001,1002,1003");
    Grid search = grid_of(r, manifest_of(r, "compare"));
    work.out = format_text("%s/rates", work.out);
    run_missing(&work, &search);
    Experiment e = finished(&work, &search);
    values_free(seed);
    *seed = seeds;
    const Run **list = allocate((size_t)e.count + 1, sizeof(const Run *));
    for (int i = 0; i < g->count; i++) {
        int count = 0, seeds_tried;
        double rate;
        for (int k = 0; k < e.count; k++)
            if (!differ_in(&e.runs[k].config, &g->jobs[i].config, "lr seed"))
                list[count++] = &e.runs[k];
        free(chosen_runs(list, count, key, &seeds_tried, &rate));
        if (count)
            job_rate(&g->jobs[i], rate);
    }
    free(list);
}
