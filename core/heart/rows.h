/* rows.h - the inner loops over the rows of a matrix: sums, softmax and tanh,
   which take long.

   core/heart/rows.c computes one entry at a time. core/fast/rows.c, which
   replaces it in the whole program, computes vectors, to the same bits. */
#ifndef ROWS_H
#define ROWS_H

#include <qkv/operator.h>

/* The sum of x_j y_j over n entries, in lanes (numbers.h); the largest x_j. */
real row_dot(const real *x, const real *y, int n);
real row_max(const real *x, int n);

/* The first n of the `all` entries of x become their softmax, and the rest, the
   masked ones, become 0. */
void row_softmax(real *x, int n, int all);

/* x becomes softmax(x). Returns log sum_j e^x_j, of the old entries. */
double row_probabilities(real *x, int n);

/* y_i = tanh x_i, of n entries; y may be x. */
void tanh_entries(real *y, const real *x, size_t n);

/* The number of keys that query i sees, of `keys` keys. If `causal`, it sees
   its own token and all earlier ones. The `queries` queries belong to the last
   tokens (in training, to all tokens), so query i is at keys - queries + i. */
static inline int
keys_seen(int causal, int i, int queries, int keys)
{
    return causal ? keys - queries + i + 1 : keys;
}

#endif
