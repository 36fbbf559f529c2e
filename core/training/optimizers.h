/* optimizers.h - a step of training: its learning rate, and the optimizer that
   the config asks for. The heart has Adam; muon.h has Muon. */
#ifndef OPTIMIZERS_H
#define OPTIMIZERS_H

#include "heart/train.h"

/* The learning rate of a step; the first is step 1. It rises linearly over the
   first `warmup` steps. Then it stays, or falls to 0 at the last step along
   half a cosine. */
double learning_rate(const Config *c, int step);

/* Model.update: moves the weights by one step, at the learning rate of step
   m->step. */
void scheduled(Model *m);

#endif
