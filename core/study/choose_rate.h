/* choose_rate.h - the learning rate at which a variant is judged. */
#ifndef CHOOSE_RATE_H
#define CHOOSE_RATE_H

#include "run/run.h"

/* Returns one run for each seed: the one at the rate at which the other seeds
   did best in the quantity `key`. So no seed is judged at a rate that suits its
   own luck; only a single seed chooses its own rate. Among equally good rates,
   the one with the lowest loss is taken. All choices are made on validation
   data. The given runs must be sorted by seed, and then by rate. *seeds becomes
   the number of runs returned, *lr the rate that all seeds together choose (NaN
   if there are no runs). The array is never freed. */
const Run **chosen_runs(const Run *const *runs, int count, const char *key,
                        int *seeds, double *lr);

/* "lowest" or "highest" if lr is the lowest or highest of these runs' rates, so
   that a wider grid may have a better one; NULL if it is between others or the
   only one. */
const char *rate_end(const Run *const *runs, int count, double lr);

#endif
