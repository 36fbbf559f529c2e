/* slim.h - takes the gauge out of the heads of a published model. */
#ifndef SLIM_H
#define SLIM_H

#include "models/heads.h"

/* Writes layer l without its gauge into `to`, the same layer of a second copy
   of the checkpoint. In each group of heads a square block of W^K, and one of
   W^V, becomes the identity (for a rotated pair of columns, one complex number
   becomes 1). A bias that the softmax cancels, or that b^O can absorb, becomes
   0. Returns the largest condition number of the blocks, which are inverted.
   Fails if that is too large, or if a tensor is not F32. If `to` is NULL,
   returns only the number. */
double heads_slim(const Heads *l, const Heads *to);

#endif
