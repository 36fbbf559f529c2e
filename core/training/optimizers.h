/* optimizers.h - how a step of training moves the weights: the learning rate,
   weight decay, and the optimizer that the setting `optimizer` names.

   Adam is in heart/adam.c, SGD in optimizers.c, Muon in muon.c. To add an
   optimizer, give it a name in config/settings.c and a number in settings.h,
   and call it from update_weights. */
#ifndef OPTIMIZERS_H
#define OPTIMIZERS_H

#include "heart/adam.h"

/* The learning rate of a step, counted from 1. It rises linearly to `lr` over
   the first `warmup` steps. Then it stays at lr or, if the setting `schedule`
   is cosine, falls along half a period of a cosine to 0 at the last step. */
double learning_rate(const Config *c, int step);

/* Implements Model.update (heart/model.h): sets m->rate to the learning rate of
   the step m->step, and moves the weights against their gradients. */
void update_weights(Model *m);

#endif
