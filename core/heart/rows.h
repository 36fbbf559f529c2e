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

/* The first n entries of x become their softmax, and those from n to `all`
   become 0. */
void row_softmax(real *x, int n, int all);

/* x becomes softmax(x). Returns the logarithm of the sum of its exponentials.
 */
double row_shares(real *x, int n);

/* y_i = tanh x_i, of n entries; y may be x. */
void tanh_entries(real *y, const real *x, size_t n);

/* How many of the keys query i sees. Under a causal mask it sees itself and all
   earlier tokens. The queries belong to the last of the tokens that have keys
   (in training, to all of them). */
static inline int
keys_seen(int causal, int i, int queries, int keys)
{
    return causal ? keys - queries + i + 1 : keys;
}

#endif
