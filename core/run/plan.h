/* plan.h - qkv compare --plan: the runs as command lines. */
#ifndef PLAN_H
#define PLAN_H

#include "run/grid.h"

/* Prints a `qkv train` line for each run; any shell can run each of them, any
   number of times, beside any other. Limits, --threads, --redo and --keep are
   to be added to them. */
void plan_print(const Work *w, const Grid *g);

#endif
