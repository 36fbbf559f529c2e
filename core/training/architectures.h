/* architectures.h - the models that the heart does not have (heart/model.h):
   with an encoder and cross-attention for a second sequence, with one-hot
   tokens, with numbers as answers. */
#ifndef ARCHITECTURES_H
#define ARCHITECTURES_H

#include "heart/model.h"

/* A Transformer with one or two sequences. The setting `encoder` is the number
   of blocks that encode the second sequence y. The setting `cross` says whether
   the other blocks compute x += attention(x, y) instead of self-attention,
   after it, or not at all. The setting `embed` says whether the vectors of
   tokens and positions are learned or one-hot; one-hot vectors need no weights.
 */
extern const Architecture two_sequences;

/* The same model for answers that are numbers: answer k stands for the number
   sizes.first + k sizes.step. There is one logit for each token: the number
   that the model answers. */
extern const Architecture numbers;

/* The loss of `numbers`: the sum over counted rows of (x - y)^2, divided by
   `counted`, if the model answers x in a row and the right answer is y. Unless
   `right` is NULL, adds the sum of 1 - (x - y)^2 to *right. That sum, divided
   by the number of counted rows, is R^2, since answers have mean 0 and variance
   1. */
Node *number_loss(const Model *m, Node *x, const int *targets, int counted,
                  double *right);

/* The nonzero entry of a one-hot row. The mean square of the row's entries is
   then 0.7^2, as in a learned embedding (heart/model.c), so that scores start
   equally large. */
double onehot_size(const Model *m);

/* Allocates and fills Model.fixed, the table of one-hot tokens and positions.
   The table has no rows if these vectors are learned. */
void model_fill_onehot(Model *m);

#endif
