/* whole.h - how many parameters of a whole model are really there.

   A model is a function from sequences of tokens to distributions: logits up to
   a constant for each token, which softmax ignores. Its real parameters are
   counted in two ways. One measures the rank of the Jacobian
   (real_parameters.h). The other is a formula, which subtracts the gauge from
   the stored parameters. The gauge is all changes of one matrix that the
   matrices next to it can undo. The formula assumes that attention reads and
   writes the residual stream only through matrices that share no entries, that
   the tokens span the stream and, without a norm, that the logits span it, too.
   The order of heads and of hidden units is free as well, but a choice among
   finitely many orders saves no parameter. */
#ifndef WHOLE_H
#define WHOLE_H

#include "heart/model.h"

/* The parts of the gauge in the formula:
   HEADS     the gauge of attention that may read any tokens (`count --real`)
   NORMS     the gains, and LayerNorm's biases, which can be moved into the
             matrices that read the norm
   MEAN      with LayerNorm, changes that affect only the mean of a token, which
             LayerNorm subtracts; and the gauge that attention has besides HEADS
             because it reads only normed tokens
   BASIS     changes of the stream's basis: any change without a norm; any
             rotation with RMSNorm; with LayerNorm, any rotation that keeps the
             direction of the mean
   LOGITS    for each direction of the stream, a number that it adds to all
             logits
   POSITIONS a vector that can be moved from all tokens to all learned
             positions */
enum { HEADS, NORMS, MEAN, BASIS, LOGITS, POSITIONS, PARTS };

/* The counts of a model. A count that cannot be measured is NAN. */
typedef struct Whole {
    double stored;      /* all parameters */
    double part[PARTS]; /* the parts of the gauge in the formula */
    double formula;     /* the real parameters by the formula: stored parameters
                           less these parts, but no more than any model with this
                           unembedding can have */
    double real;        /* the real parameters as measured */
} Whole;

/* Counts the parameters of the model of a resolved config, with random weights.
   A model with more than MOST_MEASURED parameters (real_parameters.h) is not
   built: only `stored` is set, and the rest is 0. */
Whole whole_count(const Config *c, Sizes sizes, const Variant *v);

#endif
