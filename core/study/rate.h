/* rate.h - at which learning rate a variant is judged. */
#ifndef RATE_H
#define RATE_H

#include "run/run.h"

/* How a rate did; what is first decides. */
typedef struct Score {
    double rank[3]; /* more is better */
    int seeds;
} Score;
bool outdoes(const Score *a, const Score *b);

/* Of the runs at that rate, but for one seed: in a quantity or, where `key` is
   NULL, as verdicts are, by accuracy until all seeds have `enough`, then by
   steps; of equal ones the lowest loss. On validation data. */
Score score_of(const Run *const *runs, int count, double lr, int but,
               const char *key, double enough);

/* The rates of some runs, each once, by size; to be freed. */
double *rates_of(const Run *const *runs, int count, int *rates);

/* Of each seed the run at the rate that the others choose in a quantity, so
   that no seed is judged at a rate which was chosen for its luck; a single seed
   has its best rate. Returns the runs, to be freed, and how many they are. */
const Run **chosen_runs(const Run *const *runs, int count, const char *key,
                        int *seeds);

#endif
