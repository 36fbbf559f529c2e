/* facts.h - facts about the products M and N of a head. */
#ifndef FACTS_H
#define FACTS_H

#include "models/heads.h"

/* Facts about a product L S', without rotations and biases: L has the columns
   of a head in one map, S the columns of its group in another. Both have n
   columns, so all but n singular values of the d_model x d_model are 0. */
typedef struct Facts {
    int count;        /* n, the width of the head, or d_model if that is less */
    double *singular; /* `count` singular values, the largest first; the caller
                         frees them */
    int rank;     /* the least number of singular values whose squares have 99%
                     of the sum of all squares */
    double least; /* the smallest singular value over the largest */
    double symmetric; /* the share of the product's squared norm that is in its
                         symmetric part: 1 if the product equals its transpose,
                         0.5 if it is random */
} Facts;

/* The facts about M of a head if `left`, the map of L, is QUERY and `shared`,
   the map of S, is KEY; about N transposed if they are OUTPUT and VALUE. */
Facts facts_of(const Heads *l, int left, int shared, int head);

/* How much a head copies the tokens that it attends to: the sum of the
   eigenvalues of its N over the sum of their absolute values. It is 1 if all
   eigenvalues are positive, -1 if all are negative, and NaN if all are 0 or if
   they could not be computed. */
double copying_of(const Heads *l, int head);

#endif
