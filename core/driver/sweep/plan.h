/* plan.h - qkv compare --plan: the runs as command lines. */
#ifndef PLAN_H
#define PLAN_H

#include "driver/sweep/grid.h"

/* Prints a `qkv train` line for each run, which any shell can do, any number of
   times, beside any other; with --plan=slurm a script for sbatch around them.
   Says on stderr what all of it will take. */
void plan_print(const Options *o, const Grid *g);

#endif
