/* rates.h - --lr auto: a learning rate for each point of a grid. */
#ifndef RATES_H
#define RATES_H

#include "run/request.h"
#include "run/grid.h"

/* Was --lr auto given? */
bool rates_wanted(const Request *o);

/* Finds a rate for each variant at each point of the grid that o asks for, on
   seeds of their own, whose runs are the experiment OUT/rates; of o's
   quantities it is the judged one that chooses. To be freed: a rate for each
   point in its order. */
double *rates_found(const Request *o);

/* Gives the jobs of a grid their points' rates, where each point has so many
   seeds. */
void rates_apply(Grid *g, const double *rates, int seeds);

#endif
