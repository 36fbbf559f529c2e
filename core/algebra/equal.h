/* equal.h - can one variant compute what another does?

   One variant gets random matrices. If some matrices of the other give the same
   output on random tokens, in double, with and without a causal mask, at two
   shapes, then the other can. Such matrices are products of the first one's
   (substitute.h), or the other's fit finds them. Forms and names only propose;
   running both decides. "Cannot" needs a witness: a rank, or a number of real
   parameters, that one has and the other cannot have. Otherwise nothing is
   known. */
#ifndef EQUAL_H
#define EQUAL_H

#include "algebra/substitute.h"

typedef enum Answer { CAN, CANNOT, NOT_KNOWN } Answer;

typedef struct Ability {
    Answer answer;
    bool fitted;     /* CAN: were its matrices found by its fit? */
    Values products; /* CAN: if not, they are "W_i^Q := W^Q W_i^Q" ... */
    const char *why; /* CANNOT, NOT_KNOWN: the reason */
} Ability;

/* Can `to` compute what `from` does? */
Ability can_compute(const Variant *to, const Variant *from);

/* The largest difference of the outputs of two variants, with their present
   matrices at one shape, relative to the largest output: of queries and other
   keys without a mask, and of self-attention under a causal mask. */
typedef struct OutputsApart {
    double unmasked, causal;
} OutputsApart;
OutputsApart outputs_apart(const Derived *a, const Derived *b);

/* If the two have the same matrices, by name and shape, copies the entries from
   `from` to `to`; returns whether they have. */
bool give_same_matrices(const Derived *from, const Derived *to);

/* Up to this, a relative difference of outputs is only rounding. */
#define ROUNDING (sizeof(real) == 4 ? 1e-4 : 1e-10)

#endif
