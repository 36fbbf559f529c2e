/* equal.h - can one variant compute what another does?

   The variant `from` gets random matrices. `to` can compute the same if it has
   matrices with which both give the same output on random tokens, with and
   without a causal mask, at two shapes. Such matrices are found as products of
   the matrices of `from` (substitute.h), or by the fit of `to`. Forms and
   shapes only suggest matrices; running both variants decides. "Cannot" needs a
   proof: a rank, a number of real parameters or, for instance, a sink that
   `from` has and `to` cannot have. Otherwise the answer is not known. */
#ifndef EQUAL_H
#define EQUAL_H

#include "algebra/substitute.h"

typedef enum Answer { CAN, CANNOT, NOT_KNOWN } Answer;

typedef struct Ability {
    Answer answer;
    bool fitted;     /* if CAN: did a fit find its matrices? */
    Values products; /* if CAN and not fitted: lines such as
                        "W_i^Q := W^Q W_i^Q", its matrices as products of the
                        other variant's */
    Values where;    /* for each of these lines the result of only_where
                        (print_form.h): at which shape only it holds, or "" */
    const char *why; /* if CANNOT or NOT_KNOWN: the reason */
} Ability;

/* Can `to` compute what `from` does? */
Ability can_compute(const Variant *to, const Variant *from);

/* The largest difference of the outputs of two variants at one shape, with the
   matrices that they have now, relative to the largest output. */
typedef struct OutputsApart {
    double unmasked; /* if x and y are different tokens, without a mask */
    double causal;   /* in self-attention under a causal mask */
} OutputsApart;
OutputsApart outputs_apart(const Derived *a, const Derived *b);

/* Returns whether two variants declare matrices of the same names and shapes in
   the same order. If they do, derive_at gives them the same entries. */
bool have_same_matrices(const Derived *a, const Derived *b);

/* A relative difference of outputs up to this is only rounding. */
#define OUTPUT_ROUNDING (sizeof(real) == 4 ? 1e-4 : 1e-10)

#endif
