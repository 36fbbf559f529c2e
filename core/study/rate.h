/* rate.h - at which learning rate a variant is judged. */
#ifndef RATE_H
#define RATE_H

#include "run/run.h"

/* Of each seed the run at the rate at which the other seeds did best in a
   quantity, so that no seed is judged at a rate which was chosen for its luck;
   a single seed has its best rate. Of equal rates it is the one that has the
   lowest loss. Only validation data have a say. The runs of a seed follow one
   another, by their rates. Returns one for each seed, how many
   they are, and the rate that all choose together (NaN if there are no runs).
 */
const Run **chosen_runs(const Run *const *runs, int count, const char *key,
                        int *seeds, double *lr);

/* "lowest" or "highest" if the rate is that of several that were tried, so that
   a wider grid may have a better one; NULL if it lies between others. */
const char *rate_end(const Run *const *runs, int count, double lr);

#endif
