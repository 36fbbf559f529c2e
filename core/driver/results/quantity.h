/* quantity.h - numbers of runs, as figures draw them. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stdbool.h>

#include "math/statistics.h"
#include "run/run.h"

/* A quantity in words, for an axis. */
const char *axis_title(const char *quantity);

/* A line of result.tsv; "solved": 1 where the threshold was reached, else 0; or
   "seconds" of training. */
double run_quantity(const Run *r, const char *quantity);

/* "loss, accuracy": what a run logged, over steps or at its end; to be freed.
 */
char *quantity_names(const Run *r, bool over_steps);

/* Exits (2) with the names there are where the runs have no such quantity: of
   log.tsv where it is followed over steps, else of result.tsv. */
void check_quantity(const Run *runs, int count, const char *quantity,
                    bool over_steps);

/* The mean over runs and its interval; of steps to the threshold the median,
   between the least and the most, where a run that never got there counts as
   later than all that did: such a median stands at all the steps there were. */
Mean quantity_mean(const Run *const *runs, int count, const char *quantity);
bool is_median(const char *quantity);

/* Where a run stands along x: the number of a setting, or the first number in
   its text ("W_Q=0.1"; 1 where it is empty), or a line of result.tsv; of a
   width that --match has chosen, the width of the one whose budget it meets. A
   run that does not use the setting has no place, and is the same everywhere.
 */
bool run_has_place(const Run *r, const char *x);
double run_place(const Run *r, const char *x);

#endif
