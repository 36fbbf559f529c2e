/* slim.h - takes the gauge out of the heads of a published model. */
#ifndef SLIM_H
#define SLIM_H

#include "models/heads.h"

/* Takes out the gauge. In each group of heads a square part of W^K, and one of
   W^V, becomes the identity (for a rotated pair of columns, one complex number
   becomes 1). A bias that the softmax cancels, or that b^O can absorb, becomes
   0. Returns the largest condition number of a part that was inverted. */
double heads_slim(const Heads *l);

/* The largest difference between the outputs of the attention of two layers of
   one model for the same random tokens, relative to the largest. It leaves out
   norms and sinks, since these do not change the gauge. */
double heads_apart(const Heads *a, const Heads *b);

#endif
