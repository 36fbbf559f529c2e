/* equal.h - can one variant compute what another does?

   One variant gets random matrices. The other can compute the same if some
   matrices of it give the same output on random tokens, in double, with and
   without a causal mask, at two shapes. Such matrices are products of the first
   variant's (substitute.h), or the second one's fit finds them. Forms and names
   only suggest matrices; running both variants decides. "Cannot" needs a
   witness: a rank, or a number of real parameters, that the first variant has
   and the second one cannot have. Otherwise the answer is not known. */
#ifndef EQUAL_H
#define EQUAL_H

#include "algebra/substitute.h"

typedef enum Answer { CAN, CANNOT, NOT_KNOWN } Answer;

typedef struct Ability {
    Answer answer;
    bool fitted;     /* if CAN: did a fit find its matrices? */
    Values products; /* if CAN and not fitted: lines with its matrices, as
                        products of the other's: "W_i^Q := W^Q W_i^Q" */
    const char *why; /* if CANNOT or NOT_KNOWN: the reason */
} Ability;

/* Can `to` compute what `from` does? */
Ability can_compute(const Variant *to, const Variant *from);

/* The largest difference of the outputs of two variants at one shape, with the
   matrices that they have now, relative to the largest output. */
typedef struct OutputsApart {
    double unmasked; /* the difference when queries attend to separate keys,
                        without a mask */
    double causal;   /* in self-attention under a causal mask */
} OutputsApart;
OutputsApart outputs_apart(const Derived *a, const Derived *b);

/* Returns whether two variants declare the same matrices, by name and shape. If
   they do, derive_at gives their matrices the same entries. */
bool have_same_matrices(const Derived *a, const Derived *b);

/* Up to this, a relative difference of outputs is only rounding. */
#define ROUNDING (sizeof(real) == 4 ? 1e-4 : 1e-10)

#endif
