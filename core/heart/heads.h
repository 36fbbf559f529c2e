/* heads.h - views of one head of a matrix, in one sequence or in all.

   The heads of a matrix are its columns in equal parts, side by side; its
   sequences are its rows in equal parts, one after the other. Here `at` points
   to a matrix that has n's shape: n's value, its gradient, or a copy. */
#ifndef HEADS_H
#define HEADS_H

#include <qkv/operator.h>

#include "heart/matrix.h"

/* Head h of sequence s, a single matrix. Its `step` is the distance to head h
   of the next sequence, for callers that make a batch of it. */
Matrix head_of(const Node *n, real *at, int s, int h);

/* The head of n that is used with head h of another matrix of `heads` heads, as
   a batch of all sequences. If n has fewer heads, neighbouring heads share one:
   if `heads` is 8 and n has 2, heads 0 to 3 use head 0. */
Matrix shared_head(const Node *n, real *at, int h, int heads);

#endif
