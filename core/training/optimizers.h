/* optimizers.h - a step of training: its learning rate, weight decay, and the
   optimizer that the setting names. Adam is in heart/train.c, SGD in
   optimizers.c, Muon in muon.c; `scheduled` chooses among them, so a new one is
   called there, and gets its name in config/settings.h. */
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
