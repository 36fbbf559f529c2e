/* jobs.h - several runs at once, each in its own process. */
#ifndef JOBS_H
#define JOBS_H

#include "run/grid.h"

/* Trains the jobs i for which wanted[i] holds, w->jobs at a time, into w->out.
   A run that fails costs only itself, and a line on stderr. Returns how many
   failed. */
int jobs_run(const Work *w, const Grid *g, const bool *wanted);

#endif
