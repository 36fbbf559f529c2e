/* rows.h - sums, maxima and softmax over one row of numbers.

   A sum is kept in 16 lanes, number i in lane i mod 16, which are folded in
   halves at the end: an order that vectors of any width can follow, and so
   the same bits on each. */
#ifndef ROWS_H
#define ROWS_H

#include <stddef.h>

#include <qkv/real.h>

real row_sum(const real *x, int n);
real row_dot(const real *x, const real *y, int n);
real row_max(const real *x, int n);

/* p = exp(factor x - max) for the first n numbers, of which max is the largest
   of factor x, and 0 for those up to `wide`: never overflows. Returns the sum
   of p, at least 1; p may be x. */
real row_exponentials(real *p, const real *x, real factor, int n, int wide,
                      real *max);

/* p = exp(factor x - max) inverse, and 0 from n on: the softmax of a row again,
   from its max and 1 / its sum; p may be x. */
void row_weights(real *p, const real *x, real factor, int n, int wide, real max,
                 real inverse);

/* y = tanh x, n numbers; y may be x. */
void row_tanh(real *y, const real *x, size_t n);

/* p = softmax(factor x) of the first n numbers, 0 for those up to `wide`.
   Returns 1 / the sum, and the largest of factor x. */
real row_softmax(real *p, const real *x, real factor, int n, int wide,
                 real *max);

#endif
