/* rates.c - --lr auto: a learning rate for each point of a grid.

   Rates are steps of a quarter of a power of ten. From 0.003 on a bracket of
   half powers grows until the best rate is inside, and then its two neighbours
   are tried. All points take a step at once, so that all cores have work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "study/rates.h"
#include "study/quantity.h"
#include "study/rate.h"
#include "heart/fail.h"
#include "run/missing.h"

enum { SEEDS = 3, FIRST_SEED = 1001, RATES = 29, START = 14 };

/* 1e-6 for 0, 0.003 for START, 10 for the last one. */
static double
rate_at(int k)
{
    static const char *const digits[] = {"1", "1.8", "3", "5.6"};
    char text[32];
    snprintf(text, sizeof text, "%se%d", digits[k % 4], k / 4 - 6);
    return strtod(text, NULL);
}

typedef struct Search {
    int at; /* the rate that is tried */
    bool tried[RATES];
    Score scores[RATES];
} Search;

static int
best_of(const Search *s)
{
    int best = -1;
    for (int k = 0; k < RATES; k++)
        if (s->tried[k] &&
            (best < 0 || outdoes(&s->scores[k], &s->scores[best])))
            best = k;
    return best;
}

/* Goes to the next rate, or to the best one and returns false. */
static bool
advance(Search *s)
{
    static const int ways[] = {-2, 2, -1, 1};
    int best = best_of(s);
    for (int i = best % 2 ? 2 : 0; i < 4; i++) {
        int k = best + ways[i];
        if (k < 0 || k >= RATES || s->tried[k])
            continue;
        s->at = k;
        return true;
    }
    s->at = best;
    return false;
}

/* How the runs of a point did, as far as they are there. */
static Score
score_of_point(const Request *o, const Grid *g, int point)
{
    Run runs[SEEDS];
    const Run *list[SEEDS];
    int count = 0;
    for (int i = 0; i < SEEDS; i++) {
        const Job *job = &g->jobs[point * SEEDS + i];
        if (!run_exists(o->work.out, job->name))
            continue;
        runs[count] = run_of(o->work.out, job->name, &job->config);
        list[count] = &runs[count];
        count++;
    }
    double margin = margin_of(o->margin, "test_accuracy", list, count);
    Score s = count ? score_of(list, count, list[0]->config.lr, -1, o->judge,
                               1 - margin)
                    : (Score){{0}, 0};
    for (int i = 0; i < count; i++)
        run_free(&runs[i]);
    return s;
}

/* The options of the search: other seeds, another directory. */
static Request
searching(const Request *o)
{
    Request own = *o;
    own.given = allocate((size_t)settings_most, sizeof *own.given);
    for (int i = 0; i < setting_count; i++)
        for (int k = 0; k < o->given[i].count; k++)
            values_add(&own.given[i], copy_text(o->given[i].text[k]));
    values_free(given_to(&own, "seed"));
    values_free(given_to(&own, "lr"));
    *given_to(&own, "lr") = values_cut("0.003");
    for (int i = 0; i < SEEDS; i++)
        values_add(given_to(&own, "seed"), format_text("%d", FIRST_SEED + i));
    own.work.out = format_text("%s/rates", o->work.out);
    return own;
}

bool
rates_wanted(const Request *o)
{
    const Values *v = given_to(o, "lr");
    return v->count && !strcmp(v->text[0], "auto");
}

void
rates_apply(Grid *g, const double *rates, int seeds)
{
    for (int i = 0; i < g->count; i++)
        grid_rate(g, &g->jobs[i], rates[i / seeds]);
}

double *
rates_found(const Request *o)
{
    Request own = searching(o);
    Manifest all = manifest_of(o, "compare");
    experiment_open(o->work.out, &all); /* the directory that OUT/rates is in */
    manifest_free(&all);
    Grid g = grid_of(&own, manifest_of(&own, "compare"));
    int points = g.count / SEEDS, ends = 0;
    Search *s = allocate((size_t)points + 1, sizeof *s);
    double *rates = allocate((size_t)points + 1, sizeof *rates);
    bool more = points > 0;
    for (int p = 0; p < points; p++)
        s[p].at = START;
    while (more) {
        more = false;
        for (int p = 0; p < points; p++)
            rates[p] = rate_at(s[p].at);
        rates_apply(&g, rates, SEEDS);
        run_missing(&own.work, &g);
        for (int p = 0; p < points; p++) {
            int k = s[p].at;
            s[p].scores[k] = score_of_point(&own, &g, p);
            s[p].tried[k] = true;
            more |= advance(&s[p]);
        }
    }
    for (int p = 0; p < points; p++) {
        rates[p] = rate_at(s[p].at);
        ends += s[p].at == 0 || s[p].at == RATES - 1;
    }
    if (ends)
        note("--lr auto: the best rate of %d of %d is an end of 1e-06 to 10",
             ends, points);
    free(s);
    grid_free(&g);
    free((char *)own.work.out);
    request_free(&own);
    return rates;
}
