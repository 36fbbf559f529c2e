/* slim.h - takes the gauge out of the heads of a published model. */
#ifndef SLIM_H
#define SLIM_H

#include "models/heads.h"

/* Takes out the gauge. In each group of heads a square part of W^K, and one of
   W^V, becomes the identity (for a rotated pair of columns, one complex number
   becomes 1). A bias that the softmax cancels, or that b^O can absorb, becomes
   0. Returns the largest condition number of a part that was inverted. */
double heads_slim(Heads *l);

/* The output of attention for random tokens, the same tokens for every layer of
   a model: RANDOM_TOKENS x d_model numbers, to be freed. It rotates with base
   10,000 and leaves out norms and sinks, since these do not change the gauge.
 */
enum { RANDOM_TOKENS = 16 };
double *heads_output(const Heads *l);

#endif
