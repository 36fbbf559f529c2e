/* architectures.h - models that the heart (heart/model.h) does not have. They
   may have an encoder and cross-attention for a second sequence, one-hot
   tokens, or answers that are numbers. */
#ifndef ARCHITECTURES_H
#define ARCHITECTURES_H

#include "heart/model.h"

/* A Transformer for one or two sequences, x and y. The setting `encoder` is the
   number of blocks that encode y. The setting `cross` says whether the blocks
   of x have cross-attention, x += attention(x, y), instead of self-attention,
   after it, or not at all. The setting `embed` says whether the vectors of
   tokens and positions are learned or one-hot; one-hot vectors need no weights.
 */
extern const Architecture two_sequences;

/* The same model for answers that are numbers. Answer k stands for the number
   sizes.first + k sizes.step. A token has only one logit, which is the number
   that the model answers. */
extern const Architecture numbers;

/* The loss of `numbers`, for the model's answers x, of which `counted` rows
   have a right answer, y (`targets`): the sum of (x - y)^2 over these rows,
   divided by `counted`. Unless `right` is NULL, adds the sum of 1 - (x - y)^2
   to *right. Divided by `counted`, that sum is R^2, because right answers have
   mean 0 and variance 1. */
Node *number_loss(const Model *m, Node *x, const int *targets, int counted,
                  double *right);

/* The nonzero entry of a one-hot row. It makes the mean square of the row's
   entries 0.7^2, as in a learned embedding (heart/model.c), so that scores are
   equally large at first. */
double onehot_entry(const Model *m);

/* Allocates and fills Model.fixed, the table of the one-hot vectors of tokens
   and positions. The table has no rows if these vectors are learned. Call this
   function after model_outline, which finds the number of rows. */
void model_fill_onehot(Model *m);

#endif
