/* rate.c - at which learning rate a variant is judged, and what one that was
   not tried might bring. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "study/quantity.h"
#include "study/rate.h"
#include "heart/fail.h"

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
    return !judge                            ? NULL
           : !strcmp(judge, "test_accuracy") ? "validation_accuracy"
           : !strcmp(judge, "test_loss")     ? "validation_loss"
                                             : judge;
}

/* The sum of a quantity, more being better, where a run that diverged or never
   got there is the worst there is. */
static double
merit(const Run *r, const char *key)
{
    double x = run_judged(r, key);
    if (quantity_named(key)->better == LESS)
        return isnan(x) ? quantity_named(key)->median ? -2. * r->config.steps
                                                      : -INFINITY
                        : -x;
    return isnan(x) ? -INFINITY : x;
}

Score
score_of(const Outcomes *all, const Outcome *a, double lr, int but)
{
    double sum = 0, steps = 0, loss = 0;
    double enough =
        1 - margin_of(all->margins, "test_accuracy", a->runs, a->seeds);
    const char *key = chosen_by(all->judge);
    bool full = !key;
    int n = 0;
    for (int i = 0; i < a->seeds; i++) {
        const Run *r = a->runs[i];
        if (r->config.lr != lr || r->config.seed == but)
            continue;
        double x = merit(r, key ? key : "validation_accuracy");
        full &= x >= enough;
        sum += x;
        steps += merit(r, "solved_at");
        loss += merit(r, "validation_loss");
        n++;
    }
    return full ? (Score){{1, steps / n, loss / n}, n}
                : (Score){{sum / n, 0, loss / n}, n};
}

double *
rates_of(const Outcome *a, int *count)
{
    double *rates = allocate((size_t)a->seeds + 1, sizeof *rates);
    *count = 0;
    for (int i = 0; i < a->seeds; i++)
        rates[i] = a->runs[i]->config.lr;
    median(rates, a->seeds); /* sorts */
    for (int i = 0; i < a->seeds; i++)
        if (i == 0 || rates[i] != rates[*count - 1])
            rates[(*count)++] = rates[i];
    return rates;
}

/* The run of a seed at the rate at which the other seeds did best; of one seed
   alone, its own best. */
static const Run *
chosen_run(const Outcomes *all, const Outcome *a, int seed, bool alone)
{
    const Run *chosen = NULL;
    Score best = {{0}, 0};
    for (int i = 0; i < a->seeds; i++) {
        const Run *r = a->runs[i];
        if (r->config.seed != seed)
            continue;
        Score s = score_of(all, a, r->config.lr, alone ? -1 : seed);
        if (!chosen || outdoes(&s, &best)) {
            chosen = r;
            best = s;
        }
    }
    return chosen;
}

void
choose_rates(const Outcomes *all, Outcome *a)
{
    double *rates = rates_of(a, &a->rates);
    const Run **kept = allocate((size_t)a->seeds + 1, sizeof(const Run *));
    int count = 0;
    for (int i = 0; i < a->seeds && a->rates > 1; i++) {
        int seed = a->runs[i]->config.seed, k = 0;
        while (k < count && kept[k]->config.seed != seed)
            k++;
        if (k == count)
            kept[count++] = chosen_run(all, a, seed, a->seeds <= a->rates);
    }
    if (a->rates > 1) {
        memcpy(a->runs, kept, (size_t)count * sizeof(const Run *));
        a->seeds = count;
    }
    for (int k = 0; k < a->rates; k++) {
        int here = 0;
        for (int i = 0; i < a->seeds; i++)
            here += a->runs[i]->config.lr == rates[k];
        if (here <= a->agreed)
            continue;
        a->agreed = here;
        a->lr = rates[k];
        a->end = a->rates < 2 ? 0 : k == 0 ? -1 : k == a->rates - 1;
    }
    free(rates);
    free(kept);
}

/* The means of what is judged at each rate, as points that are to be low. */
typedef struct Curve {
    double *x, *y; /* y: infinite where a seed never got there */
    int count;
} Curve;

/* The runs that tell: the variant's at all its rates, or where --lr auto has
   found its rate those of the search, which differ from them in seed and rate
   alone. To be freed. */
static Outcome
tried(const Outcomes *all, const Outcome *a)
{
    const Series *s = group_series(a->group, a->series);
    Outcome t = {.group = a->group, .series = a->series};
    int searched = all->found ? all->search.count : 0;
    t.runs = allocate((size_t)(s->count + searched) + 1, sizeof(const Run *));
    for (int i = 0; i < searched; i++)
        if (same_but(&all->search.runs[i], s->runs[0], "lr seed"))
            t.runs[t.seeds++] = &all->search.runs[i];
    for (int i = 0; i < s->count && !all->found; i++)
        t.runs[t.seeds++] = s->runs[i];
    return t;
}

static Curve
curve_of(const Outcome *t, const char *key)
{
    Curve c;
    double sign = quantity_named(key)->better == MORE ? -1 : 1;
    c.x = rates_of(t, &c.count);
    c.y = allocate((size_t)c.count + 1, sizeof *c.y);
    for (int k = 0; k < c.count; k++) {
        int n = 0;
        for (int i = 0; i < t->seeds; i++)
            if (t->runs[i]->config.lr == c.x[k]) {
                c.y[k] += sign * run_judged(t->runs[i], key);
                n++;
            }
        c.y[k] = isfinite(c.y[k]) ? c.y[k] / n : INFINITY;
    }
    for (int k = 0; k < c.count; k++)
        c.x[k] = log(c.x[k]);
    return c;
}

/* Where the line through two points is at x, if it tells anything of what lies
   beside the lowest point: a convex curve is above it. */
static double
line_at(const Curve *c, int from, int to, int lowest, double x)
{
    if (from < 0 || to < 0 || from >= c->count || to >= c->count ||
        !isfinite(c->y[from]) || !isfinite(c->y[to]))
        return -INFINITY;
    double slope = (c->y[to] - c->y[from]) / (c->x[to] - c->x[from]);
    double there = c->y[from] + slope * (c->x[lowest] - c->x[from]);
    return there <= c->y[lowest] + 1e-9 * fabs(c->y[lowest])
               ? c->y[from] + slope * (x - c->x[from])
               : -INFINITY;
}

/* How low the curve may be to one side of its lowest point: within half a step,
   or a step beyond the end. */
static double
least_beside(const Curve *c, int k, int side)
{
    enum { PARTS = 32 };
    int next = k + side, last = k - side;
    bool end = next < 0 || next >= c->count;
    bool alone = end && (last < 0 || last >= c->count);
    double least = c->y[k], step = alone ? 0
                                   : end ? c->x[k] - c->x[last]
                                         : (c->x[next] - c->x[k]) / 2;
    for (int i = 1; i <= PARTS; i++) {
        double x = c->x[k] + step * i / PARTS;
        double line = fmax(line_at(c, last, k, k, x),
                           line_at(c, next, next + side, k, x));
        if (isinf(line) && !end) /* none tells: as steep as that step itself */
            line = c->y[k] - (c->y[next] - c->y[k]) * i / PARTS / 2;
        least = fmin(least, line);
    }
    return least;
}

double
may_gain(const Outcomes *all, const Outcome *a, const char *key)
{
    const Quantity *q = quantity_named(key);
    double best = q->scale == SHARE && q->better == MORE ? -1
                  : q->scale == POWERS                   ? 0
                                                         : -INFINITY;
    Outcome t = tried(all, a);
    Curve c = curve_of(&t, key);
    double at = INFINITY, least = -INFINITY;
    int k = 0;
    for (int i = 0; i < c.count; i++) {
        k = c.y[i] < c.y[k] ? i : k;
        at = c.x[i] == log(a->lr) ? c.y[i] : at;
    }
    if (isfinite(at)) /* else it is not known how it did */
        least =
            fmax(fmin(least_beside(&c, k, -1), least_beside(&c, k, 1)), best);
    free(t.runs);
    free(c.x);
    free(c.y);
    return isfinite(least) ? at - least : INFINITY;
}
