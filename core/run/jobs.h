/* jobs.h - trains the missing runs of a grid, and reads all its runs. */
#ifndef JOBS_H
#define JOBS_H

#include "run/grid.h"

/* Trains the runs of the grid that are not yet in w->out, w->jobs at a time. If
   a run fails, a line on stderr says why, and the others go on. Returns the
   status to exit with: 1 if a run failed, else 0. */
int run_missing(const Work *w, Grid *g);

/* If this hook is set, the process of a run calls it with each new row of the
   run's log. `runs` is how many runs the command trains. The web page sets the
   hook to draw its curves. */
extern void (*row_logged)(const Work *w, const Job *job, int runs, LogRow row);

/* The runs of the grid before they are trained: they have settings, but no
   results. */
Experiment runs_expected(const Grid *g);

/* Reads the finished runs of the grid, in its order. The record of the result
   has only the grid's line. */
Experiment runs_finished(const Work *w, const Grid *g);

#endif
