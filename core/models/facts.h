/* facts.h - what the products M and N of a head are like. */
#ifndef FACTS_H
#define FACTS_H

#include "models/heads.h"

/* Facts about a product left shared', without rotations and biases: M of QUERY
   and KEY, N transposed of OUTPUT and VALUE. Its other singular values are 0.
 */
typedef struct Facts {
    int count;        /* of singular values: the width of the head */
    double *singular; /* the largest first; the caller frees them */
    int rank;         /* how many of them have 99% of the sum of squares */
    double least;     /* the smallest of them, relative to the largest */
    double symmetric; /* the share of the product that equals its transpose */
} Facts;
Facts facts_of(const Heads *l, int left, int shared, int head);

/* How much a head copies the tokens that it attends to: the sum of the
   eigenvalues of its N, relative to the sum of their absolute values. It is 1
   if all are positive, -1 if all are negative, and NaN if they were not found.
 */
double copying_of(const Heads *l, int head);

#endif
