/* slim.h - takes the gauge out of the heads of a published model. */
#ifndef SLIM_H
#define SLIM_H

#include "models/heads.h"

/* Writes the layer without its gauge into `to`, the same layer of a second
   checkpoint. In each group of heads a square part of W^K, and one of W^V,
   becomes the identity (for a rotated pair of columns, one complex number
   becomes 1). A bias that the softmax cancels, or that b^O can absorb, becomes
   0. Returns the largest condition number of a part that is inverted; if it is
   too large, or a tensor has too few bits, fails. With `to` NULL only the
   condition is found. */
double heads_slim(const Heads *l, const Heads *to);

#endif
