/* equal.h - can one variant compute what another does?

   The one gets random matrices. If some matrices of the other give the same
   output on random tokens, in double, with and without a causal mask,
   at two shapes, then it can: the matrices are products that are named
   (substitute.h), or what its own fit makes of the form. Forms and names only
   propose; running both decides. That it cannot is said only with a witness: a
   rank, or a number of directions, that the one has and the other cannot have.
   Otherwise nothing is known. */
#ifndef EQUAL_H
#define EQUAL_H

#include "algebra/substitute.h"

typedef enum Answer { CAN, CANNOT, UNDECIDED } Answer;

typedef struct Verdict {
    Answer answer;
    bool fitted;     /* CAN: by its fit, with no products to name; */
    Values products; /* or with these */
    const char *why; /* CANNOT, UNDECIDED */
} Verdict;

/* Can `to` compute what `from` does? */
Verdict can_compute(const Variant *to, const Variant *from);

/* The largest difference of the outputs of two variants that were derived at
   one shape, with the matrices that they have, relative to the largest output:
   of queries and other keys, and of self-attention under a causal mask, of
   small tokens and of large ones. */
typedef struct OutputsApart {
    double unmasked, causal;
} OutputsApart;
OutputsApart outputs_apart(const Derived *a, const Derived *b);

/* Have the two the same matrices, by name and shape? Then `to` gets the numbers
   of `from`. */
bool give_same_matrices(const Derived *from, const Derived *to);

/* A difference of outputs, relative to the largest, that is only rounding. */
#define ROUNDING (sizeof(real) == 4 ? 1e-4 : 1e-10)

#endif
