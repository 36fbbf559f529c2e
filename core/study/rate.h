/* rate.h - at which learning rate a variant is judged, and what one that was
   not tried might bring. */
#ifndef RATE_H
#define RATE_H

#include "study/outcome.h"

/* How a rate did; what is first decides. */
typedef struct Score {
    double rank[3]; /* more is better */
    int seeds;
} Score;
bool outdoes(const Score *a, const Score *b);

/* Of the runs of a at that rate, but for one seed: by all->judge, or as
   verdicts are, by accuracy until it is saturated, then by steps; of equal ones
   the lowest loss. On validation data. */
Score score_of(const Outcomes *all, const Outcome *a, double lr, int but);

/* The rates of its runs, each once, by size; to be freed. */
double *rates_of(const Outcome *a, int *count);

/* Leaves each seed the run at the rate that the others choose, so that no seed
   is judged at a rate which was chosen for its luck. */
void choose_rates(const Outcomes *all, Outcome *a);

/* By how much a variant might be better in a quantity at a rate that was not
   tried. The best one is within half a step of the best that was tried, and a
   convex curve over the logarithms of the rates is not below the lines through
   its neighbours. Where that one is an end, another step may bring as much as
   the last. Infinite where a neighbour failed, so that nobody can tell. */
double may_gain(const Outcomes *all, const Outcome *a, const char *key);

#endif
