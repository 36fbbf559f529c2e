/* adam.h - a step of the optimizer, which is Adam unless a model sets another.
 */
#ifndef ADAM_H
#define ADAM_H

#include "heart/model.h"

/* Adam for entries from .. to - 1 of a model's weights: moves each against the
   running mean of its gradient, at the learning rate Model.rate. Kingma and Ba
   2014, algorithm 1, with its bias corrections moved into the rate and into
   epsilon (section 2). The model is passed as void *, so that threads can share
   the entries: the function has the type Range of fast/threads.h. */
void adam_range(void *model, long from, long to);

/* A step of the model's optimizer: Model.update or, if that is NULL, Adam. */
void optimizer_step(Model *m);

#endif
