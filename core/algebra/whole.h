/* whole.h - how many parameters of a whole model are really there.

   The model is a function from sequences of tokens to distributions: logits up
   to a constant for each token, which softmax ignores. Its real parameters are
   counted twice: measured, as the rank of the Jacobian (real_parameters.h), and
   by a formula. The formula subtracts the gauge from the stored parameters:
   changes of one matrix that the matrices next to it can undo. It assumes that
   attention reads and writes the residual stream only through matrices without
   ties, that the tokens span the stream and, without a norm, that the logits
   span it, too. The order of heads and of hidden units is free as well, but
   costs no parameter: there is nothing between two orders. */
#ifndef WHOLE_H
#define WHOLE_H

#include "heart/model.h"

/* The parts of the gauge in the formula:
   HEADS     within attention that may read arbitrary tokens (`count --real`)
   NORMS     gains, and LayerNorm's biases, which can be moved into the maps
             that read the norm
   MEAN      with LayerNorm: what only changes the mean of a token, which
             LayerNorm subtracts; and what attention has besides HEADS because
             it reads only normed tokens
   BASIS     the basis of the stream: any basis without a norm; any rotation
             of it with RMSNorm; with LayerNorm, any that keeps the direction
             of the mean
   LOGITS    for each direction of the stream, a number that it adds to all
             logits
   POSITIONS a vector that can be moved from all tokens to all learned
             positions */
enum { HEADS, NORMS, MEAN, BASIS, LOGITS, POSITIONS, PARTS };

/* The counts of a model. Those that cannot be measured are NAN. */
typedef struct Whole {
    double stored;      /* all parameters */
    double part[PARTS]; /* the gauge, by the formula */
    double formula; /* stored parameters less these parts, but no more than any
                       model with this unembedding can have */
    double real;    /* the measured rank */
} Whole;

/* Counts the parameters of the model of a resolved config, with random weights.
   A model with more than MOST_MEASURED parameters (real_parameters.h) is not
   built: only `stored` is set, and the rest is 0. */
Whole whole_count(const Config *c, Sizes sizes, const Variant *v);

#endif
