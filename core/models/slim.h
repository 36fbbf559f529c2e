/* slim.h - takes the gauge out of the heads of a published model. */
#ifndef SLIM_H
#define SLIM_H

#include "models/heads.h"

/* Takes out what is gauge. A square part of W^K, and one of W^V, becomes the
   identity for each group of heads, or of a rotated pair of columns one complex
   number 1; a bias that the softmax cancels, or that b^O can have, becomes 0.
   Returns the worst condition of a part that was inverted. */
double heads_slim(Heads *l);

/* What attention makes of random tokens, the same for each layer of a model: so
   many times d_model numbers, to be freed. Its rotations have base 10,000, and
   it has no norms and no sinks: what is gauge is so for any of these. */
enum { RANDOM_TOKENS = 16 };
double *heads_output(const Heads *l);

#endif
