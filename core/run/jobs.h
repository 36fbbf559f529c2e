/* jobs.h - trains the missing runs of a grid, and reads all its runs. */
#ifndef JOBS_H
#define JOBS_H

#include "heart/train.h"
#include "run/grid.h"

/* Trains the runs of the grid that w->out does not have, w->jobs at a time. A
   run that fails prints a line on stderr and does not stop the others. Returns
   1 if a run failed, else 0. */
int run_missing(const Work *w, Grid *g);

/* If set, called in the process of a run with each new row of its log; `runs`
   is the number of runs that are trained. The web page draws its curves from
   it. */
extern void (*row_logged)(const Work *w, const Job *job, int runs, LogRow row);

/* The runs of the grid before they are trained: their settings, no results. */
Experiment runs_expected(const Grid *g);

/* The finished runs of the grid, in its order, as an experiment whose record
   has only the grid's own line. */
Experiment runs_finished(const Work *w, const Grid *g);

#endif
