/* jobs.h - runs in processes of their own, several at once. */
#ifndef JOBS_H
#define JOBS_H

#include "driver/sweep/grid.h"

/* Trains the jobs whose place in `wanted` is true, as many at once as
   o->jobs, into o->out. A run that fails costs itself only and gets a line on
   stderr. Returns how many failed. */
int jobs_run(const Options *o, const Grid *g, const bool *wanted);

#endif
