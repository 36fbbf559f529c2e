/* fit.h - from a canonical form to the matrices of a variant. */
#ifndef FIT_H
#define FIT_H

#include <stdbool.h>

#include "algebra/canonical.h"

/* Returns whether v can be fitted to a form: its plugin has a `fit`, or its
   equation is made of products that fit_equation.c can fit. */
bool has_fit(const Variant *v);

/* Fills the matrices w, as v declares them, so that v at attention a computes
   the canonical form c, or the nearest form that it can have. Returns NULL, or
   the reason why v cannot be fitted. */
const char *fit(const Variant *v, const Attention *a, Weights w,
                const Canonical *c);

/* The error in one matrix of a head, its s_i M_i or its N_i. */
typedef struct HeadError {
    double lost; /* the Frobenius norm of the difference, relative to the norm
                    of the matrix wanted; 1 if only the matrix wanted is 0 */
    int rank_wanted; /* the rank of the matrix wanted */
    int rank_found;
} HeadError;

/* The error that is made if one form is used instead of another. */
typedef struct FitError {
    double apart; /* the largest difference of entries of s M, or of N and the
                     constant, relative to the largest entry wanted */
    HeadError m;  /* of the head whose s_i M_i lost most */
    HeadError n;  /* of the head whose N_i lost most */
} FitError;

/* Compares the form `now` with `wanted`, head by head. If one of them lacks a
   head, that head's matrices count as 0. */
FitError fit_error(const Canonical *now, const Canonical *wanted);

#endif
