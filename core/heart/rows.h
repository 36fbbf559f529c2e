/* rows.h - the inner loops over the rows of a matrix: sums, and functions that
   take long.

   core/heart/rows.c computes one entry at a time. core/fast/rows.c, which
   replaces it in the whole program, computes vectors, to the same bits. */
#ifndef ROWS_H
#define ROWS_H

#include <qkv/operator.h>

/* sum x_j y_j, and the largest x_j, of n entries. */
real row_dot(const real *x, const real *y, int n);
real row_max(const real *x, int n);

/* The first n entries of x become their softmax, and those from n to `all`
   become 0. */
void row_softmax(real *x, int n, int all);

/* x becomes softmax(x). Returns the logarithm of the sum of the exponentials of
   its old entries. */
double row_shares(real *x, int n);

/* y_i = tanh x_i, of n entries; y may be x. */
void tanh_entries(real *y, const real *x, size_t n);

/* The number of keys that query i sees. Under a causal mask it sees its own
   token and all earlier ones. The queries belong to the last tokens (in
   training, to all tokens). */
static inline int
keys_seen(int causal, int i, int queries, int keys)
{
    return causal ? keys - queries + i + 1 : keys;
}

#endif
