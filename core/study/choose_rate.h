/* choose_rate.h - the learning rate at which a variant is judged. */
#ifndef CHOOSE_RATE_H
#define CHOOSE_RATE_H

#include "run/run.h"

/* The runs by which a series is judged, one for each seed. */
typedef struct Chosen {
    const Run **runs; /* never freed */
    int seeds;        /* the number of runs */
    double lr;        /* the rate with the best mean over all seeds. The run
                         chosen for a seed may have another rate. NaN if there
                         are no runs */
} Chosen;

/* Returns one run for each seed: the run at the rate at which the other seeds
   did best in the quantity `key`. So no seed is judged at a rate that suits its
   own luck. (If there is only one seed, it chooses its own rate.) A rate with
   fewer runs is never preferred. Among equally good rates, the rate with the
   lowest loss is taken. Rates are compared on validation data, even if `key` is
   about test data.

   The given runs must be one series (run_groups.h), sorted by seed and then by
   rate. */
Chosen chosen_runs(const Run *const *runs, int count, const char *key);

/* Returns "lowest" if all other rates of these runs are above lr, or "highest"
   if all others are below it: then a wider grid of rates may have a better one.
   Returns NULL if there are rates both above and below lr, or no others. */
const char *rate_end(const Run *const *runs, int count, double lr);

#endif
