/* rows.c - sums, maxima and softmax over one row of numbers.

   The 16 lanes lie in as many vectors as they take: one of 64 bytes, two of
   32, four of 16, and twice as many in double. */
#include "elementary.h"
#include "rows.h"
#include "vector.h"

enum {
    LANES = 16,
    WIDE = sizeof(Widest) / sizeof(real),
    PARTS = LANES / WIDE /* vectors that the lanes take */
};
#define EACH_PART  _Pragma("GCC unroll 8") for (int p = 0; p < PARTS; p++)
#define PART(x, p) (*(const Widest *)((x) + (p)*WIDE))

/* The lanes folded in halves: +8, +4, +2, +1. */
static inline real
fold(const Widest *sum)
{
    real lane[LANES];
    EACH_PART *(Widest *)(lane + p * WIDE) = sum[p];
    for (int l = 0; l < 8; l++)
        lane[l] += lane[l + 8];
    for (int l = 0; l < 4; l++)
        lane[l] += lane[l + 4];
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* The last numbers of a row, fewer than LANES, and `rest` in the other lanes.
 */
static inline void
take_tail(real *lane, const real *x, int n, real rest)
{
    for (int l = 0; l < LANES; l++)
        lane[l] = l < n ? x[l] : rest;
}

real
row_sum(const real *x, int n)
{
    Widest sum[PARTS] = {{0}};
    real tail[LANES];
    for (; n >= LANES; n -= LANES, x += LANES)
        EACH_PART sum[p] += PART(x, p);
    if (n > 0) {
        take_tail(tail, x, n, 0);
        EACH_PART sum[p] += PART(tail, p);
    }
    return fold(sum);
}

real
row_dot(const real *x, const real *y, int n)
{
    Widest sum[PARTS] = {{0}};
    real a[LANES], b[LANES];
    for (; n >= LANES; n -= LANES, x += LANES, y += LANES)
        EACH_PART sum[p] = FMA_WIDEST(PART(x, p), PART(y, p), sum[p]);
    if (n > 0) {
        take_tail(a, x, n, 0);
        take_tail(b, y, n, 0);
        EACH_PART sum[p] = FMA_WIDEST(PART(a, p), PART(b, p), sum[p]);
    }
    return fold(sum);
}

/* The larger of each two. */
static inline Widest
larger(Widest a, Widest b)
{
    __typeof__(a > b) first = a > b; /* all bits, or none, of each number */
    return (Widest)(((__typeof__(first))a & first) |
                    ((__typeof__(first))b & ~first));
}

real
row_max(const real *x, int n)
{
    real lane[LANES];
    Widest top[PARTS];
    take_tail(lane, x, n < LANES ? n : LANES, x[0]);
    EACH_PART top[p] = PART(lane, p);
    for (; n >= LANES; n -= LANES, x += LANES)
        EACH_PART top[p] = larger(PART(x, p), top[p]);
    if (n > 0) {
        take_tail(lane, x, n, x[0]);
        EACH_PART top[p] = larger(PART(lane, p), top[p]);
    }
    EACH_PART *(Widest *)(lane + p * WIDE) = top[p];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] = lane[l + half] > lane[l] ? lane[l + half] : lane[l];
    return lane[0];
}

/* Whole rows, whatever is masked: a vector has no ragged end then, and what is
   masked becomes exp(-infinity), which is 0. */
real
row_exponentials(real *p, const real *x, real factor, int n, int wide,
                 real *max)
{
    for (int i = 0; i < wide; i++)
        p[i] = i < n ? factor * x[i] : -INFINITY;
    real top = row_max(p, wide);
    for (int i = 0; i < wide; i++)
        p[i] = exponential(p[i] - top);
    *max = top;
    return row_sum(p, wide);
}

void
row_weights(real *p, const real *x, real factor, int n, int wide, real max,
            real inverse)
{
    for (int i = 0; i < wide; i++)
        p[i] = i < n ? exponential(factor * x[i] - max) * inverse : 0;
}

void
row_tanh(real *y, const real *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = hyperbolic_tangent(x[i]);
}

real
row_softmax(real *p, const real *x, real factor, int n, int wide, real *max)
{
    real inverse = 1 / row_exponentials(p, x, factor, n, wide, max);
    for (int i = 0; i < wide; i++)
        p[i] *= inverse;
    return inverse;
}
