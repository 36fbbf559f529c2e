/* fold.h - is the embedding redundant?

   Q, K and V are linear in the rows of the embedding E: x W^Q = onehot E W^Q,
   for a one-hot token, which has a 1 at its own number and else 0. So if
   nothing else reads E, it can be multiplied into W^Q, W^K and W^V. */
#ifndef FOLD_H
#define FOLD_H

#include "algebra/canonical.h"

/* Why the embedding of m cannot be folded into its attention, and how to train
   a model whose embedding can be; NULL if it can be folded. */
const char *fold_refusal(const Model *m);

/* Multiplies the embedding, the positions and the unembedding of m into c, the
   canonical form of m's only attention. It becomes the form of the attention of
   `onehot`, the same model on one-hot tokens, whose d_model is their number.
   Also sets the unembedding of `onehot`: it only has to pick the columns of the
   classes, which come first. */
void fold_form(Canonical *c, const Model *m, Model *onehot);

#endif
