/* jobs.h - trains the missing runs of a grid, and reads all its runs. */
#ifndef JOBS_H
#define JOBS_H

#include "heart/train.h"
#include "run/grid.h"

/* Trains the runs of the grid that are not in w->out, w->jobs at a time. A run
   that fails prints a line on stderr and does not stop the others. Returns the
   status to exit with: 1 if a run failed, else 0. */
int run_missing(const Work *w, Grid *g);

/* If this hook is set, the process of a run calls it with each new row of the
   run's log; `runs` is the number of runs that the command trains. The web page
   draws its curves with it. */
extern void (*row_logged)(const Work *w, const Job *job, int runs, LogRow row);

/* The runs of the grid before they are trained, which have settings but no
   results. */
Experiment runs_expected(const Grid *g);

/* Reads the finished runs of the grid, in the order of the grid, as an
   experiment. Its record has only the grid's line. */
Experiment runs_finished(const Work *w, const Grid *g);

#endif
