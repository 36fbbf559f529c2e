/* jobs.h - trains the runs of a grid that are not there yet, and reads all. */
#ifndef JOBS_H
#define JOBS_H

#include "heart/train.h"
#include "run/grid.h"

/* Trains what the grid lacks in w->out, w->jobs at a time. A run that fails
   costs only itself, and a line on stderr. Returns the exit status, 1 where one
   failed. */
int run_missing(const Work *w, Grid *g);

/* If it is set, called in the process of a run with each row of its log, of so
   many runs that are trained. A web page draws the curves as they come. */
extern void (*row_logged)(const Work *w, const Job *job, int runs, LogRow row);

/* The runs of the grid as they are known before they are trained: settings, and
   no results. */
Experiment expected(const Grid *g);

/* The finished runs of the grid, in its order, as an experiment that was asked
   nothing else. */
Experiment finished(const Work *w, const Grid *g);

#endif
