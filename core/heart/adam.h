/* adam.h - a step of the optimizer: Adam's, unless the model has another one.
 */
#ifndef ADAM_H
#define ADAM_H

#include "heart/model.h"

/* Moves every weight against its gradient, with this learning rate. Kingma and
   Ba 2014, algorithm 1, with its bias corrections moved into the rate and into
   epsilon (section 2). */
void adam(Model *m, double rate);

/* A step of the model's optimizer: Model.update or, if that is NULL, Adam. */
void optimizer_step(Model *m);

#endif
