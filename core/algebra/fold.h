/* fold.h - is the embedding redundant?

   Q, K and V are linear in the rows of the embedding E: x W^Q = onehot E W^Q.
   So if nothing else reads E, it can be multiplied into W^Q, W^K and W^V. */
#ifndef FOLD_H
#define FOLD_H

#include "algebra/canonical.h"
#include "training/build_model.h"

/* Why the embedding of m cannot be folded into its attention, and how to train
   one where it can; NULL where it can. */
const char *fold_refusal(const Model *m);

/* c is the canonical form of m's only attention. Multiplies the embedding, the
   positions and the unembedding into it, so that it becomes the form of the
   attention of `onehot`, the same model on one-hot tokens; and sets the
   unembedding of `onehot`, which only has to pick the first columns. */
void fold_form(Canonical *c, const Model *m, Model *onehot);

#endif
