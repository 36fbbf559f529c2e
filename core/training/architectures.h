/* architectures.h - kinds of models besides the heart's: with a second
   sequence, with one-hot tokens, with answers that are numbers. */
#ifndef ARCHITECTURES_H
#define ARCHITECTURES_H

#include "heart/model.h"

/* An encoder's blocks read a second sequence y, and every other block also
   computes x += attention(x, y) (settings: encoder, cross). One-hot tokens and
   positions need no weights (setting: embed). */
extern const Architecture two_sequences;

/* The same model for answers that are numbers: answer k stands for the number
   y = sizes.first + k sizes.step. The logits are a column of numbers x, one for
   each token. */
extern const Architecture numbers;

/* The loss of `numbers`: the sum over counted rows of (x - y)^2, divided by
   `counted`. Adds the sum of 1 - (x - y)^2 to *right. Divided by the number of
   counted rows, that sum is R^2, since answers have mean 0 and variance 1. */
Node *number_loss(const Model *m, Node *x, const int *targets, int counted,
                  double *right);

/* The nonzero entry of a one-hot row. It gives the row the mean square of a
   learned embedding, 0.49, so that scores start equally large. */
double onehot_size(const Model *m);

/* Allocates and fills the table of one-hot tokens and positions. It is empty if
   they are learned. */
void model_fill_onehot(Model *m);

#endif
