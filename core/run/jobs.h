/* jobs.h - several runs at once, each in its own process. */
#ifndef JOBS_H
#define JOBS_H

#include "run/memory.h"
#include "run/grid.h"
#include "heart/train.h"

/* Trains the jobs i for which wanted[i] holds, w->jobs at a time, into w->out.
   A run that fails costs only itself, and a line on stderr. Returns how many
   failed. */
int jobs_run(const Work *w, const Grid *g, const bool *wanted);

/* Those jobs, *total of them, the longest first, so that none runs alone at the
   end. To be freed. */
const Job **queue_of(const Grid *g, const bool *wanted, int *total);

/* Roughly how long a run takes, in multiply-adds. */
double effort(const Config *c);

/* The limits of each of `most` runs at once: the user's, or a share of the free
   memory. */
Limits run_limits(const Work *w, int most);

/* In a run's own process: opens its plugin and its data, and makes its model.
   Fails, with the sum, if training needs more memory than the limit. */
Model *run_prepare(Config c, Limits may, Dataset *data);

#endif
