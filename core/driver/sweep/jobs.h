/* jobs.h - runs in processes of their own, several at once. */
#ifndef JOBS_H
#define JOBS_H

#include "train/train.h"
#include "driver/cli/memory.h"
#include "driver/sweep/grid.h"

/* Trains the jobs whose place in `wanted` is true, as many at once as
   o->jobs, into o->out. A run that fails costs itself only and gets a line on
   stderr. Returns how many failed. */
int jobs_run(const Options *o, const Grid *g, const bool *wanted);

/* Those jobs, *total of them, the longest first: so none is left at work alone
   for long. To be freed. */
const Job **queue_of(const Grid *g, const bool *wanted, int *total);

/* About how long a run takes, in a unit of its own: multiply-adds. */
double effort(const Config *c);
double step_effort(const Config *c); /* of one training step */

/* Of each of `most` runs at once: what --timeout and --memory give, or else a
   share of what is free. */
Limits run_limits(const Options *o, int most);

/* In a run's own process: opens its plugin and its data, and makes its model.
   Fails, with the sum, where it needs more memory than it may have. */
Model *run_prepare(Config c, Limits may, Dataset *data);

#endif
