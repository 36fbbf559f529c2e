/* rates.h - --lr auto: a learning rate for each point of a grid. */
#ifndef RATES_H
#define RATES_H

#include "run/grid.h"

/* Was --lr auto given? */
bool rates_wanted(const Request *r);

/* Gives each job of a grid the rate at which its variant did best at its point,
   in r's judged quantity, on seeds of their own, whose runs are the experiment
   OUT/rates. */
void rates_find(const Request *r, Grid *g);

#endif
