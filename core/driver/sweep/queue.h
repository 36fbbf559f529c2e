/* queue.h - in which order runs are trained. */
#ifndef QUEUE_H
#define QUEUE_H

#include "driver/sweep/grid.h"

/* About how long a run takes, in a unit of its own: multiply-adds. */
double effort(const Config *c);
double step_effort(const Config *c); /* of one training step */

/* The jobs whose place in `wanted` is true, the longest first: so none is left
   at work alone for long. *total of them, *all their effort. To be freed. */
const Job **queue_of(const Grid *g, const bool *wanted, int *total,
                     double *all);

#endif
