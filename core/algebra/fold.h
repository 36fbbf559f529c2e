/* fold.h - multiplies the embedding of a model into its attention.

   Q, K and V are linear in the rows of the embedding E: x W^Q = onehot E W^Q.
   (A one-hot token is 0 except for a 1 at its own number.) So E is redundant if
   nothing else reads it: it can be multiplied into W^Q, W^K and W^V. */
#ifndef FOLD_H
#define FOLD_H

#include "algebra/canonical.h"

/* Returns NULL if the embedding of m can be folded into its attention.
   Otherwise returns why not and, unless its tokens are one-hot already, how to
   train a model that allows it. */
const char *fold_refusal(const Model *m);

/* Multiplies the embedding, the positions and the unembedding of m into c, the
   canonical form of m's only attention. Then c is the form of the attention of
   `onehot`, the same model on one-hot tokens. The d_model of `onehot` is the
   number of entries of such a token. Also sets the unembedding of `onehot`,
   which only has to pick the columns of the classes. These come first. */
void fold_form(Canonical *c, const Model *m, Model *onehot);

#endif
