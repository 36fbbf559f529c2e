/* rows.h - the inner loops over the rows of a matrix: sums, softmax, LayerNorm,
   and functions of each entry.

   core/heart/rows.c goes entry by entry. core/fast/rows.c, which takes its
   place in the whole program, goes vector by vector, to the same bits. */
#ifndef ROWS_H
#define ROWS_H

#include "heart/matrix.h"

/* sum x_j,  sum x_j y_j,  to_j += factor x_j,  the largest x_j, of n entries.
 */
real row_sum(const real *x, int n);
real row_dot(const real *x, const real *y, int n);
void row_add(real *to, real factor, const real *x, int n);
real row_max(const real *x, int n);

/* x becomes softmax(x) of its first n entries, and 0 for those up to `all`. */
void row_softmax(real *x, int n, int all);

/* Each of some rows becomes its softmax; z becomes the logarithm of the sum of
   its exponentials. */
enum { ROWS_AT_A_TIME = 8 }; /* at most */
void rows_shares(real *const *row, double *z, int rows, int n);

/* P = softmax(mask(S)), row by row, of one head; and
   dS += P (dP - rowsum(P dP)). */
void softmax_rows(Matrix p, Matrix s, int causal);
void softmax_rows_backward(Matrix ds, Matrix p, Matrix dp);

/* How many of the keys query i sees. With a mask, itself and what came before
   it: the queries are the last of the tokens that have keys, in training all of
   them. */
static inline int
keys_seen(int causal, int i, int queries, int keys)
{
    return causal ? keys - queries + i + 1 : keys;
}

/* n = (x - mean) / deviation, y = gain n + bias, of each row (1 x d); `inverse`
   becomes 1 / deviation of each. Then backwards: with g = gain dy,
   dGain += dy n,  dBias += dy,  dX += (g - mean(g) - n mean(g n)) / deviation.
   dx may be NULL; g is memory for ROWS_AT_A_TIME rows. */
void norm_rows(int rows, int d, real *y, real *n, real *inverse, const real *x,
               const real *gain, const real *bias);
void norm_rows_backward(int rows, int d, real *dx, real *dgain, real *dbias,
                        const real *dy, const real *n, const real *inverse,
                        const real *gain, real *g);

/* y_i = tanh x_i;  1 / (1 + e^-x_i);  x_i/2 (1 + t_i) with
   t_i = tanh(GELU_A (x_i + GELU_B x_i^3)), which is kept: of n entries. */
#define GELU_A ((real)0.79788456080286535588) /* sqrt(2 / pi) */
#define GELU_B ((real)0.044715)
void tanh_entries(real *y, const real *x, long n);
void sigmoid_entries(real *y, const real *x, long n);
void gelu_entries(real *y, real *t, const real *x, long n);

#endif
