/* rates.c - --lr auto: a learning rate for each variant at each point of a
   grid.

   Seven rates are tried, steps of half a power of ten, and then the two beside
   the best one, a quarter of a power away. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "run/jobs.h"
#include "study/quantity.h"
#include "study/rate.h"
#include "study/rates.h"

enum { FIRST_SEED = 1001, SEEDS = 3 };

/* The rate a quarter of a power of ten below (-1) or above (1) another one. */
static double
beside(double lr, int side)
{
    static const char *const digits[] = {"1", "1.8", "3", "5.6"};
    char text[32];
    int k = (int)lround(4 * log10(lr)) + side;
    snprintf(text, sizeof text, "%se%d", digits[(k + 400) % 4],
             (k + 400) / 4 - 100);
    return strtod(text, NULL);
}

/* The rate that did best of those with which a variant was tried in the shape
   of this config; is it an end of them? */
static double
best_rate(const Experiment *e, const Config *c, const Request *r, bool *end)
{
    const Run **list = allocate((size_t)e->count + 1, sizeof(const Run *));
    int count = 0, rates, best = 0;
    for (int i = 0; i < e->count; i++)
        if (!differ_in(&e->runs[i].config, c, "lr seed"))
            list[count++] = &e->runs[i];
    double enough = 1 - margin_of(r->margin, "test_accuracy", list, count);
    double *lr = rates_of(list, count, &rates);
    Score score = {{0}, 0};
    for (int k = 0; k < rates; k++) {
        Score s = score_of(list, count, lr[k], -1, r->judge, enough);
        if (k && !outdoes(&s, &score))
            continue;
        score = s;
        best = k;
    }
    double found = rates ? lr[best] : c->lr;
    *end = best == 0 || best == rates - 1;
    free(list);
    free(lr);
    return found;
}

/* The options of the search: other seeds and rates, another directory. */
static Request
searching(const Request *r, const char *rates)
{
    Request own = *r;
    own.given = allocate((size_t)settings_most, sizeof *own.given);
    for (int i = 0; i < setting_count; i++)
        for (int k = 0; k < r->given[i].count; k++)
            values_add(&own.given[i], copy_text(r->given[i].text[k]));
    values_free(given_to(&own, "seed"));
    values_free(given_to(&own, "lr"));
    *given_to(&own, "lr") = values_cut(rates);
    for (int i = 0; i < SEEDS; i++)
        values_add(given_to(&own, "seed"), format_text("%d", FIRST_SEED + i));
    own.work.out = format_text("%s/rates", r->work.out);
    return own;
}

bool
rates_wanted(const Request *r)
{
    const Values *v = given_to(r, "lr");
    return v->count && !strcmp(v->text[0], "auto");
}

/* Trains the search of these rates or, where a grid has been searched, of those
   on that side of its best ones. */
static void
search(const Request *r, const char *rates, const Experiment *known, int side)
{
    Request own = searching(r, rates);
    Grid g = grid_of(&own, manifest_of(&own, "compare"));
    for (int i = 0; known && i < g.count; i++) {
        bool end;
        double best = best_rate(known, &g.jobs[i].config, r, &end);
        grid_rate(&g, &g.jobs[i], beside(best, side));
    }
    run_missing(&own.work, &g);
    grid_free(&g);
    free((char *)own.work.out);
    request_free(&own);
}

void
rates_find(const Request *r, Grid *g)
{
    const Values *optimizer = given_to(r, "optimizer");
    bool sgd = optimizer->count && !strcmp(optimizer->text[0], "sgd");
    char *place = format_text("%s/rates", r->work.out);
    int ends = 0;
    experiment_open(r->work.out, g->asked); /* the directory around it */
    search(r,
           sgd ? "0.01,0.03,0.1,0.3,1,3,10"
               : "0.0001,0.0003,0.001,0.003,0.01,0.03,0.1",
           NULL, 0);
    Experiment coarse = experiment_read((const char *const *)&place, 1);
    search(r, "1", &coarse, -1);
    search(r, "1", &coarse, 1);
    Experiment all = experiment_read((const char *const *)&place, 1);
    for (int i = 0; i < g->count; i++) {
        bool end;
        grid_rate(g, &g->jobs[i], best_rate(&all, &g->jobs[i].config, r, &end));
        ends += end;
    }
    if (ends)
        note("--lr auto: for %d of %d runs the best rate is an end of those "
             "tried: give a wider grid with --lr",
             ends, g->count);
    experiment_free(&coarse);
    experiment_free(&all);
    free(place);
}
