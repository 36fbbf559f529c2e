/* fit.h - from a canonical form to the matrices of a variant. */
#ifndef FIT_H
#define FIT_H

#include <stdbool.h>

#include <qkv/real.h>

#include "algebra/canonical.h"
#include "config/find_plugin.h"

/* Can other variants be converted into it: has its plugin a `fit`, or can its
   equation be fitted? */
bool has_fit(const Variant *v);

/* Fills the matrices w, as v declares them, so that it computes the canonical
   form c at attention a, as nearly as it can. False, and why, where it cannot.
 */
bool fit(const Variant *v, const Attention *a, Weights w, const Canonical *c,
         char why[WHY_SIZE]);

/* What was lost when a canonical form was fitted, of M (0) and of N (1). */
typedef struct FitError {
    double apart;   /* largest difference of entries of s M, and of N and the
                       constant, relative to the largest entry */
    double lost[2]; /* of the head that lost most: the Frobenius norm of
                       the difference, divided by that of the matrix wanted;
                       1 if 0 was wanted, and is not what was found */
    int rank[2], kept[2]; /* the ranks of that head: wanted, and found */
} FitError;

/* How far `now` is from `wanted`, head by head; heads that one of them lacks
   count as 0. */
FitError fit_error(const Canonical *now, const Canonical *wanted);

#endif
