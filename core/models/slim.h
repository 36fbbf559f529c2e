/* slim.h - takes the gauge out of the heads of a published model. */
#ifndef SLIM_H
#define SLIM_H

#include "models/heads.h"

/* Writes the layer without its gauge into `to`, the same layer of a second
   checkpoint. In each group of heads a square block of W^K, and one of W^V,
   becomes the identity (for a rotated pair of columns, one complex number
   becomes 1). A bias that the softmax cancels, or that b^O can absorb, becomes
   0. Returns the largest condition number of the blocks that are inverted; if
   `to` is NULL, it computes only this number. Fails if that is too large, or if
   a tensor is not F32. */
double heads_slim(const Heads *l, const Heads *to);

#endif
