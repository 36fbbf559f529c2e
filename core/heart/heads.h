/* heads.h - the columns of one head, in one sequence or in all. */
#ifndef HEADS_H
#define HEADS_H

#include <qkv/operator.h>

#include "heart/matrix.h"

/* One head of sequence s of a matrix at `at` that has n's shape. Its `step`
   leads to the same head of the next sequence. */
Matrix head_of(const Node *n, real *at, int s, int head);

/* The head of such a matrix that serves head h of `heads` heads, as a batch of
   all sequences. If n has fewer heads, neighbours share one. */
Matrix shared_head(const Node *n, int h, int heads, real *at);

#endif
