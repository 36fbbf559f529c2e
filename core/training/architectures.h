/* architectures.h - kinds of models besides the heart's: with a second
   sequence, with one-hot tokens, with answers that are numbers. */
#ifndef ARCHITECTURES_H
#define ARCHITECTURES_H

#include "heart/model.h"

/* A second sequence y is read by an encoder's blocks, and blocks have x +=
   attention(x, y) too (config: encoder, cross). One-hot tokens and positions
   need no weights (config: embed). */
extern const Architecture two_sequences;

/* The same where answer k means the number sizes.first + k sizes.step, y, and
   the logits (rows x 1) are the numbers x that are found. */
extern const Architecture numbers;

/* Its loss is the sum over counted rows of (x - y)^2, divided by `counted`. To
   *right it adds the sum of 1 - (x - y)^2: divided by how many they are it is
   R^2, since answers have mean 0 and variance 1. */
Node *number_loss(const Model *m, Node *x, const int *targets, int counted,
                  double *right);

/* The one entry of a one-hot row that is not 0: the row's mean square is then
   that of an embedding, 0.49, and scores start as large as there. */
double onehot_size(const Model *m);

/* Fills the one-hot tokens and positions, which such a model does not train. */
void model_fill(Model *m);

#endif
