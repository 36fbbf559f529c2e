/* fold.h - is the embedding redundant?

   Q, K and V are linear in the embedding's rows: x W^Q = onehot E W^Q. So E
   folds into them, where nothing else reads it. */
#ifndef FOLD_H
#define FOLD_H

#include "algebra/canonical.h"
#include "config/build_model.h"

/* Why the embedding of m cannot be folded into its attention, and how to train
   one where it can; NULL where it can. */
const char *fold_refusal(const Model *m);

/* Folds into c, the canonical form of m's only attention, embedding and
   positions before it and the unembedding behind it: what the attention of
   `onehot`, the same model on one-hot tokens, must be. Sets the unembedding of
   `onehot`, which has nothing left to do but to pick the first columns. */
void fold_form(Canonical *c, const Model *m, Model *onehot);

#endif
