/* optimizer.h - Adam and AdamW. */
#ifndef OPTIMIZER_H
#define OPTIMIZER_H

#include "heart/model.h"

struct Optimizer {
    Model *model;
    double rate;          /* of the next step: the config's lr at first */
    real *first, *second; /* running means of the gradient and its square */
    double beta1_power, beta2_power;
};

Optimizer optimizer_new(Model *m);
void optimizer_free(Optimizer *o);

/* Moves every weight of the model against its gradient, in step 1, 2, ....
   Kingma and Ba 2014, algorithm 1, its bias corrections moved into the rate and
   into epsilon = 1e-8 (section 2); weight decay inside the gradient for adam,
   beside it for adamw (Loshchilov and Hutter 2017, algorithm 2). */
void adam(Optimizer *o, int step);

#endif
