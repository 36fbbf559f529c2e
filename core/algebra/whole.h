/* whole.h - how many parameters of a whole model are really there.

   The model is a function from sequences of tokens to distributions: logits up
   to a constant for each token, which softmax ignores. Its parameters are
   counted twice: by the rank of the Jacobian, as those of attention are
   (real_parameters.h), and by a formula. The formula is a sum over the changes
   that one place of the model makes and its neighbours undo. It supposes that
   attention reads and writes tokens only by matrices that may be anything, and
   that the tokens span the stream; without a norm, that the logits do, too.
   Permutations of heads or hidden units move nothing continuously, and count 0.
 */
#ifndef WHOLE_H
#define WHOLE_H

#include "heart/model.h"

/* The parts of the formula, parameters that change nothing:
   HEADS     within attention, if its tokens may be anything (`count --real`)
   NORMS     gains, and LayerNorm's biases, which move into the maps after them
   MEAN      of LayerNorm: the mean of a token, which all that write to the
             stream write in vain, and biases that attention cannot use
   BASIS     the stream's basis: any without a norm; rotated with RMSNorm;
             rotated around the mean's direction with LayerNorm
   LOGITS    a number that each direction of the stream adds to all logits
   POSITIONS a vector moved from all tokens to all learned positions */
enum { HEADS, NORMS, MEAN, BASIS, LOGITS, POSITIONS, PARTS };

typedef struct Whole {
    double stored;
    double part[PARTS];
    double formula; /* real parameters by the formula: the stored ones less
                       these parts, or as many as any function has here */
    double real;    /* real parameters as measured; NAN: not known */
} Whole;

/* Counts the parameters of the model of a resolved config, with random weights.
   Of a model with more than MOST_MEASURED (real_parameters.h), it counts only
   the stored ones. */
Whole whole_count(const Config *c, Sizes sizes, const Variant *v);

#endif
