/* rows.h - sums, maxima and softmax over one row of numbers.

   A sum is kept in 16 lanes, number i in lane i mod 16, which are folded in
   halves at the end: an order that vectors of any width can follow, and so
   the same bits on each. The lanes lie in as many vectors as they take: one of
   64 bytes, two of 32, four of 16, and twice as many in double. All is inline:
   over many short rows the constants are loaded once. */
#ifndef ROWS_H
#define ROWS_H

#include <stddef.h>

#include <qkv/real.h>

#include "elementary.h"
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

static inline void
give_tail(real *x, const real *lane, int n)
{
    for (int l = 0; l < LANES; l++)
        if (l < n)
            x[l] = lane[l];
}

static inline real
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

static inline real
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

/* The larger of each two lanes of x below n and `top`; others do not count. */
static inline void
raise(Widest *top, const real *x, real factor, real least, int n)
{
    real lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = l < n ? factor * x[l] : least;
    EACH_PART top[p] = larger(PART(lane, p), top[p]);
}

/* The largest of factor x. */
static inline real
row_max(const real *x, real factor, int n)
{
    real lane[LANES], least = factor * x[0];
    Widest top[PARTS];
    EACH_PART top[p] = least + (Widest){0};
    for (; n >= LANES; n -= LANES, x += LANES)
        EACH_PART top[p] = larger(factor * PART(x, p), top[p]);
    if (n > 0)
        raise(top, x, factor, least, n);
    EACH_PART *(Widest *)(lane + p * WIDE) = top[p];
    for (int l = 0; l < 8; l++)
        lane[l] = lane[l + 8] > lane[l] ? lane[l + 8] : lane[l];
    for (int l = 0; l < 4; l++)
        lane[l] = lane[l + 4] > lane[l] ? lane[l + 4] : lane[l];
    real a = lane[2] > lane[0] ? lane[2] : lane[0];
    real b = lane[3] > lane[1] ? lane[3] : lane[1];
    return b > a ? b : a;
}

/* The lanes become exp(factor x - top) below n, else 0. */
static inline void
exponentials(real *lane, real factor, real top, int n)
{
    for (int l = 0; l < LANES; l++)
        lane[l] = exponential(l < n ? factor * lane[l] - top : -INFINITY);
}

/* x becomes exp(factor x - max) for the first n numbers, of which max is the
   largest of factor x, and 0 for those up to `wide`: never overflows. Returns
   the sum, at least 1. */
static inline real
row_exponentials(real *x, real factor, int n, int wide, real max)
{
    real tail[LANES];
    Widest sum[PARTS] = {{0}};
    for (; wide >= LANES; wide -= LANES, n -= LANES, x += LANES) {
        exponentials(x, factor, max, n);
        EACH_PART sum[p] += PART(x, p);
    }
    if (wide > 0) {
        take_tail(tail, x, wide, 0);
        exponentials(tail, factor, max, n < wide ? n : wide);
        EACH_PART sum[p] += PART(tail, p);
        give_tail(x, tail, wide);
    }
    return fold(sum);
}

static inline void
row_scale(real *x, real factor, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= factor;
}

/* x becomes softmax(factor x) of the first n numbers, 0 for those up to `wide`.
 */
static inline void
row_softmax(real *x, real factor, int n, int wide)
{
    real max = row_max(x, factor, n);
    row_scale(x, 1 / row_exponentials(x, factor, n, wide, max), wide);
}

/* The same of up to ABREAST rows, `down` apart, of which the first counts n
   numbers and each next one `more` more. Within a row every step waits for the
   one before, and not for those of other rows: so each is done in all rows
   first. kept[2 i] becomes the largest of row i, kept[2 i + 1] 1 / the sum. */
enum { ABREAST = 8 };
static inline void
rows_softmax(real *x, ptrdiff_t down, int rows, real factor, int n, int more,
             int wide, real *kept)
{
    for (int i = 0; i < rows; i++)
        kept[2 * i] = row_max(x + i * down, factor, n + i * more);
    for (int i = 0; i < rows; i++)
        kept[2 * i + 1] = 1 / row_exponentials(x + i * down, factor,
                                               n + i * more, wide, kept[2 * i]);
    for (int i = 0; i < rows; i++)
        row_scale(x + i * down, kept[2 * i + 1], wide);
}

/* One row again, from what was kept of it. */
static inline void
row_weights(real *x, real factor, int n, int wide, const real *kept)
{
    for (int i = 0; i < wide; i++)
        x[i] = i < n ? exponential(factor * x[i] - kept[0]) * kept[1] : 0;
}

/* Of p = softmax(s), d = dP becomes dS = factor p (dP - mean), where mean is
   rowsum(p dP). A masked weight is 0, and so is its share. */
static inline void
row_softmax_back(real *restrict d, const real *restrict p, real factor,
                 real mean, int n)
{
    for (int i = 0; i < n; i++)
        d[i] = factor * p[i] * (d[i] - mean);
}

#endif
