/* missing.h - trains the runs of a grid that are not there yet, and reads all.
 */
#ifndef MISSING_H
#define MISSING_H

#include "run/grid.h"

/* Trains what the grid lacks in w->out; returns the exit status, 1 where a run
   failed. */
int run_missing(const Work *w, Grid *g);

/* The finished runs of the grid, in its order, as an experiment that was asked
   nothing else; free_runs them. */
Experiment finished(const Work *w, Grid *g);

/* Counts how many parameters are real in the runs of w->out that nobody
   counted, and records it there. */
void count_real(const Work *w, Experiment *e);

#endif
