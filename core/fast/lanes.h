/* lanes.h - the functions of heart/numbers.h, and sums, maxima and softmax over
   a row, computed with vectors.

   A sum over a row is computed in 16 lanes (heart/numbers.h). They fill one
   vector of 64 bytes, two of 32, or four of 16, and twice as many in double:
   PARTS vectors of the widest type. All functions are inline, so that constants
   are loaded only once for many short rows. */
#ifndef LANES_H
#define LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fast/vector.h"
#include "heart/numbers.h"

/* An integer as wide as a real; the number of bits of a real's fraction, and
   the bias of its exponent (IEEE 754). */
#ifdef QKV_DOUBLE
typedef uint64_t Bits;
enum { MANTISSA = 52, BIAS = 1023 };
#define ROUNDING 0x1.8p52 /* adding it rounds to the nearest integer */
#else
typedef uint32_t Bits;
enum { MANTISSA = 23, BIAS = 127 };
#define ROUNDING 0x1.8p23f
#endif
typedef Bits WidestBits VECTOR(sizeof(Widest));

/* exps_parts, exponentials and tangents compute exp_parts, exponential and
   hyperbolic_tangent of heart/numbers.h in each lane, to the same bits. Adding
   ROUNDING leaves n = round(x / ln 2) in the last bits of `shifted`; with BIAS
   added, and shifted to the exponent, they are 2^n. */
static inline Widest
exps_parts(Widest x, Widest *power)
{
    real inverse[EXP_DEGREE + 1];
    double factorial = 1; /* computed by the compiler */
#pragma GCC unroll 16
    for (int i = 1; i <= EXP_DEGREE; i++) {
        factorial *= i;
        inverse[i] = (real)(1 / factorial);
    }
    Widest shifted = x * (real)LOG2_E + ROUNDING, minus_n = ROUNDING - shifted;
    Widest r = FMA_WIDEST(minus_n, broadcast(LN2_HIGH), x);
    r = FMA_WIDEST(minus_n, broadcast(LN2_LOW), r);
    *power = (Widest)(((WidestBits)shifted + BIAS) << MANTISSA);
    Widest p = broadcast(inverse[EXP_DEGREE]);
#pragma GCC unroll 16
    for (int i = EXP_DEGREE - 1; i > 0; i--)
        p = FMA_WIDEST(p, r, broadcast(inverse[i]));
    return p * r;
}

/* exps_parts gets at least EXP_LOW, so that 2^n is not below the range of a
   real. A NaN stays NaN (larger). */
static inline Widest
exponentials(Widest x)
{
    Widest power, minus_one = exps_parts(larger(broadcast(EXP_LOW), x), &power);
    Widest e = FMA_WIDEST(power, minus_one, power);
    return select_lanes(x < EXP_LOW, broadcast(0), e);
}

static inline Widest
tangents(Widest x)
{
    WidestBits sign = (WidestBits)x & (WidestBits)broadcast((real)-0.);
    Widest a = (Widest)((WidestBits)x ^ sign), power;
    a = select_lanes(a > TANH_ONE, broadcast(TANH_ONE), a);
    Widest minus_one = exps_parts(2 * a, &power);
    Widest e = FMA_WIDEST(power, minus_one, power - 1); /* e^2a - 1 */
    return (Widest)((WidestBits)(e / (e + 2)) | sign);
}

/* Within a row each step waits for the step before it, but rows do not wait for
   each other. So each step is done in this many rows before the next one. */
enum { ROWS_AT_A_TIME = 8 };

static inline int
least(int a, int b)
{
    return a < b ? a : b;
}

enum {
    WIDE = sizeof(Widest) / sizeof(real),
    PARTS = LANES / WIDE /* vectors that hold the lanes */
};
/* EACH_PART begins a loop over the PARTS vectors p of 16 lanes. PART(x, p) is
   vector p of the 16 entries at x. */
#define EACH_PART  _Pragma("GCC unroll 8") for (int p = 0; p < PARTS; p++)
#define PART(x, p) (*(const Widest *)((x) + (p)*WIDE))

/* Defines a function that combines the 16 lanes by F in halves, lane i with
   lane i + 8, then with i + 4, and in double with i + 2, until FEW lanes are
   left, a vector of 16 bytes. */
/* clang-format off */
#define REDUCE(NAME, F)                                                    \
    static inline V16 NAME(const Widest *lanes)                          \
    {                                                                    \
        enum { COUNT = LANES / FEW };                                    \
        V16 v[COUNT];                                                    \
        memcpy(v, lanes, sizeof v);                                      \
        UNROLL for (int half = COUNT / 2; half > 0; half /= 2)           \
            UNROLL for (int i = 0; i < COUNT / 2; i++)                   \
                if (i < half)                                            \
                    v[i] = F(v[i], v[i + half]);                         \
        return v[0];                                                     \
    }
/* clang-format on */
#define SUM(a, b) ((a) + (b))
REDUCE(narrow_sum, SUM)
REDUCE(narrow_max, larger_16)

/* The sum of 16 lanes. narrow_sum leaves FEW of them, which are added in
   halves, too: v0 + v1, or (v0 + v2) + (v1 + v3). */
static inline real
reduce_sum(const Widest *sum)
{
    V16 v = narrow_sum(sum);
    return FEW == 2 ? v[0] + v[1] : (v[0] + v[FEW / 2]) + (v[1] + v[FEW - 1]);
}

/* Loads the next LANES entries of a row, at x. `left` entries of the row are
   left; if they are fewer than LANES, the other lanes become 0. */
static inline void
load(Widest *v, const real *x, long left)
{
    if (left >= LANES)
        EACH_PART v[p] = PART(x, p);
    else {
        real few[LANES];
        for (int l = 0, n = (int)left; l < LANES; l++)
            few[l] = l < n ? x[l] : 0;
        EACH_PART v[p] = PART(few, p);
    }
}

/* Stores 16 lanes to the next entries of a row, at x, but only `left` of them
   if no more are left. */
static inline void
store(real *x, const Widest *v, long left)
{
    if (left >= LANES)
        EACH_PART *(Widest *)(x + p * WIDE) = v[p];
    else {
        real few[LANES];
        EACH_PART *(Widest *)(few + p * WIDE) = v[p];
        for (int l = 0, n = (int)left; l < LANES; l++)
            if (l < n)
                x[l] = few[l];
    }
}

/* Returns vector p of a mask of the 16 lanes: all bits of lane i are 1 if i <
   n, and 0 otherwise. */
static inline Lanewise
lanes_below(int n, int p)
{
    static const Whole number[LANES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                        8, 9, 10, 11, 12, 13, 14, 15};
    return *(const Lanewise *)(number + p * WIDE) < n;
}

/* The sum of x[j] for j below n. */
static inline real
lane_sum(const real *x, int n)
{
    Widest sum[PARTS] = {{0}}, v[PARTS];
    for (; n > 0; n -= LANES, x += LANES) {
        load(v, x, n);
        EACH_PART sum[p] += v[p];
    }
    return reduce_sum(sum);
}

/* The sum of x[j] y[j] for j below n. */
static inline real
lane_dot(const real *x, const real *y, int n)
{
    Widest sum[PARTS] = {{0}}, v[PARTS], w[PARTS];
    for (; n > 0; n -= LANES, x += LANES, y += LANES) {
        load(v, x, n);
        load(w, y, n);
        EACH_PART sum[p] = FMA_WIDEST(v[p], w[p], sum[p]);
    }
    return reduce_sum(sum);
}

/* The largest of factor * x[j] for j below n; n >= 1. The row has `wide`
   entries, at least n. Those from n on are read with the others of their
   vector, but do not count. In the loop, n and `wide` are what is left. */
static inline real
lane_max(const real *x, real factor, int n, int wide)
{
    Widest top[PARTS], v[PARTS];
    EACH_PART top[p] = broadcast(factor * x[0]);
    for (; n > 0; n -= LANES, wide -= LANES, x += LANES) {
        load(v, x, wide);
        EACH_PART v[p] *= factor;
        EACH_PART top[p] =
            select_lanes(lanes_below(n, p) & (v[p] > top[p]), v[p], top[p]);
    }
    V16 few = narrow_max(top);
    real max = few[0];
    for (int i = 1; i < FEW; i++)
        max = few[i] > max ? few[i] : max;
    return max;
}

/* The first n entries of x become exp(factor x - max). max is the largest of
   factor x, so that none overflows. The entries from n to `wide` - 1 become 0.
   Returns the sum, which is at least 1. */
static inline real
lane_exponentials(real *x, real factor, int n, int wide, real max)
{
    Widest sum[PARTS] = {{0}}, v[PARTS];
    for (; wide > 0; wide -= LANES, n -= LANES, x += LANES) {
        load(v, x, wide);
        EACH_PART v[p] = exponentials(v[p] * factor - max);
        EACH_PART v[p] = select_lanes(lanes_below(n, p), v[p], broadcast(0));
        EACH_PART sum[p] += v[p];
        store(x, v, wide);
    }
    return reduce_sum(sum);
}

/* x[j] *= factor for j below n. */
static inline void
lane_scale(real *x, real factor, int n)
{
    Widest v[PARTS];
    for (; n > 0; n -= LANES, x += LANES) {
        load(v, x, n);
        EACH_PART v[p] *= factor;
        store(x, v, n);
    }
}

/* Computes the softmax of factor * x in up to ROWS_AT_A_TIME rows, which have
   `wide` entries each and are `down` entries apart. Row 0 has `seen` scores,
   and each row `more` scores more than the row before. The entries after the
   scores become 0. */
static inline void
rows_softmax(real *x, ptrdiff_t down, int rows, real factor, int seen, int more,
             int wide)
{
    real max[ROWS_AT_A_TIME], sum[ROWS_AT_A_TIME];
    for (int i = 0; i < rows; i++)
        max[i] = lane_max(x + i * down, factor, seen + i * more, wide);
    for (int i = 0; i < rows; i++)
        sum[i] = lane_exponentials(x + i * down, factor, seen + i * more, wide,
                                   max[i]);
    for (int i = 0; i < rows; i++)
        lane_scale(x + i * down, 1 / sum[i], wide);
}

#endif
