/* slim.h - takes the gauge out of the heads of a published model. */
#ifndef SLIM_H
#define SLIM_H

#include "models/heads.h"

/* Writes the layer without its gauge into `to`, the same layer of a second
   checkpoint. In each group of heads a square block of W^K, and one of W^V,
   becomes the identity (for a rotated pair of columns, one complex number
   becomes 1). A bias that the softmax cancels, or that b^O can absorb, becomes
   0. Fails if a block that is inverted has too large a condition number, or if
   a tensor has too few bits. Returns the largest of these condition numbers. If
   `to` is NULL, it computes only this number. */
double heads_slim(const Heads *l, const Heads *to);

#endif
