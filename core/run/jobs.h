/* jobs.h - trains the runs of a grid that are not there yet, and reads all. */
#ifndef JOBS_H
#define JOBS_H

#include "run/grid.h"

/* Trains what the grid lacks in w->out, w->jobs at a time. A run that fails
   costs only itself, and a line on stderr. Returns the exit status, 1 where one
   failed. */
int run_missing(const Work *w, Grid *g);

/* The finished runs of the grid, in its order, as an experiment that was asked
   nothing else; experiment_free it. */
Experiment finished(const Work *w, const Grid *g);

#endif
