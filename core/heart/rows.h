/* rows.h - the inner loops over the rows of a matrix: sums, and functions that
   take long.

   core/heart/rows.c goes entry by entry. core/fast/rows.c, which takes its
   place in the whole program, goes vector by vector, to the same bits. */
#ifndef ROWS_H
#define ROWS_H

#include <qkv/operator.h>

/* sum x_j y_j, and the largest x_j, of n entries. */
real row_dot(const real *x, const real *y, int n);
real row_max(const real *x, int n);

/* x becomes softmax(x) of its first n entries, and 0 for those up to `all`.
   The sink is one more score in the denominator, -INFINITY: none; returns its
   share. */
real row_softmax(real *x, int n, int all, real sink);

/* x becomes softmax(x); returns the logarithm of the sum of its exponentials.
 */
double row_shares(real *x, int n);

/* y_i = tanh x_i, of n entries; y may be x. */
void tanh_entries(real *y, const real *x, size_t n);

/* How many of the keys query i sees. With a mask, itself and what came before
   it: the queries are the last of the tokens that have keys, in training all of
   them. */
static inline int
keys_seen(int causal, int i, int queries, int keys)
{
    return causal ? keys - queries + i + 1 : keys;
}

#endif
