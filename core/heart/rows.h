/* rows.h - the inner loops over rows that take the most time: dot products,
   maxima, softmax and tanh.

   core/heart/rows.c computes one entry at a time. core/fast/rows.c, which
   replaces it in the whole program, computes vectors, to the same bits. */
#ifndef ROWS_H
#define ROWS_H

#include <qkv/operator.h>

/* row_dot returns the sum of x_j y_j over n entries, added up in lanes
   (numbers.h), and row_max the largest x_j. */
real row_dot(const real *x, const real *y, int n);
real row_max(const real *x, int n);

/* The first n of the `all` entries of x become their softmax, and the rest, the
   masked ones, become 0. */
void row_softmax(real *x, int n, int all);

/* The n entries of x become their softmax. Returns log(sum of e^x_j), of the
   old entries. */
double row_probabilities(real *x, int n);

/* Sets y_i to tanh x_i, for n entries. y may be x. */
void tanh_entries(real *y, const real *x, size_t n);

/* The number of keys, of `keys` keys, that query i sees. If `causal`, it sees
   its own token and all earlier ones. The `queries` queries belong to the last
   tokens (in training, to all tokens), so query i belongs to token
   keys - queries + i. */
static inline int
keys_seen(int causal, int i, int queries, int keys)
{
    return causal ? keys - queries + i + 1 : keys;
}

#endif
