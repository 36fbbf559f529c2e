/* facts.h - facts about the products M and N of a head. */
#ifndef FACTS_H
#define FACTS_H

#include "models/heads.h"

/* Facts about a product L S' of the columns L of a head in one map and the
   columns S of its group in another, without rotations and biases. Both have n
   columns, the width of the head, so all but n singular values are 0. */
typedef struct Facts {
    int count;        /* n */
    double *singular; /* the n singular values, the largest first; the caller
                         frees them */
    int rank;     /* how many of the largest singular values have together 99%
                     of the sum of all squares */
    double least; /* the smallest singular value over the largest */
    double symmetric; /* the share of the product's squared norm that is in its
                         symmetric part: 1 if the product equals its transpose,
                         0.5 if it is random */
} Facts;

/* The facts about M of a head if L is QUERY and S is KEY (`left` and `shared`),
   and about N transposed if they are OUTPUT and VALUE. */
Facts facts_of(const Heads *l, int left, int shared, int head);

/* How much a head copies the tokens that it attends to: the sum of the
   eigenvalues of its N, relative to the sum of their absolute values. It is 1
   if all are positive, -1 if all are negative, and NaN if they were not found.
 */
double copying_of(const Heads *l, int head);

#endif
