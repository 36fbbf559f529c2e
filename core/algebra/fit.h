/* fit.h - from a canonical form to the matrices of a variant. */
#ifndef FIT_H
#define FIT_H

#include <stdbool.h>

#include "algebra/canonical.h"

/* Can other variants be converted into v? They can if its plugin has a `fit`,
   or if its equation can be fitted. */
bool has_fit(const Variant *v);

/* Fills the matrices w, as v declares them, so that v computes the canonical
   form c at attention a, or the nearest form it can have. Returns false, with
   the reason in `why`, if it cannot be fitted. */
bool fit(const Variant *v, const Attention *a, Weights w, const Canonical *c,
         char why[WHY_SIZE]);

/* The losses of M (0) and of N (1) when a canonical form was fitted. */
typedef struct FitError {
    double apart;   /* the largest difference of entries of s M, or of N and the
                       constant, relative to the largest entry */
    double lost[2]; /* for the head that lost most: the Frobenius norm of the
                       difference over that of the matrix wanted; 1 if 0 was
                       wanted and something else was found */
    int rank[2], kept[2]; /* the ranks of that head's matrix, wanted and found
                           */
} FitError;

/* How far `now` is from `wanted`, head by head; heads that one of them lacks
   count as 0. */
FitError fit_error(const Canonical *now, const Canonical *wanted);

#endif
