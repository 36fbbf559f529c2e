/* rates.h - --lr auto: a learning rate for each point of a grid. */
#ifndef RATES_H
#define RATES_H

#include "driver/cli/options.h"
#include "driver/sweep/grid.h"

/* Was --lr auto given? */
bool rates_wanted(const Options *o);

/* Finds a rate for each variant at each point of the grid that o asks for, on
   seeds of their own, whose runs are the experiment OUT/rates; of o's
   quantities it is the judged one that chooses. `train` trains what a grid
   lacks, compare's run_missing. To be freed: a rate for each point in its
   order. */
double *rates_found(const Options *o, int train(const Work *w, Grid *g));

/* Gives the jobs of a grid their points' rates, where each point has so many
   seeds. */
void rates_apply(Grid *g, const double *rates, int seeds);

#endif
