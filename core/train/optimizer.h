/* optimizer.h - SGD, Adam and AdamW, and how their rate runs. */
#ifndef OPTIMIZER_H
#define OPTIMIZER_H

#include "model/model.h"

typedef struct Optimizer {
    real *first, *second; /* running means of the gradient and its square */
    double beta1_power, beta2_power;
} Optimizer;

Optimizer optimizer_new(const Model *m);
void optimizer_free(Optimizer *o);

/* The learning rate of step 1, 2, ..., steps: rises linearly over `warmup`
   steps, then stays, or falls to 0 along half a cosine. */
double learning_rate(const Config *c, int step);

/* Moves every weight of m against its gradient; step counts from 1. */
void optimizer_step(Optimizer *o, Model *m, int step);

#endif
