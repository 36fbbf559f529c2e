/* elementary.h - exp, tanh, log, sin of our own, so that machines agree.

   libm's differ in the last bit between systems, and one bit is enough to
   make two trainings drift apart. These use +, -, *, / and fma only, which
   IEEE 754 fixes bit for bit. The first two are needed for every entry of a
   matrix: they work on vectors, and each lane gets what it would get in a
   vector of any other width. */
#ifndef ELEMENTARY_H
#define ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <qkv/real.h>

#include "math/vector.h"

#ifdef QKV_DOUBLE
typedef uint64_t Bits;
enum { MANTISSA = 52, BIAS = 1023, EXP_DEGREE = 13 };
#define SQRT     sqrt
#define ROUNDING 0x1.8p52 /* adding it rounds to the nearest integer */
#define LN2_HIGH 0x1.62e42fefa39efp-1
#define LN2_LOW  0x1.abc9e3b39803fp-56
#define EXP_LOW  -708
#define TANH_ONE 20 /* tanh is 1 from here on */
#else
typedef uint32_t Bits;
enum { MANTISSA = 23, BIAS = 127, EXP_DEGREE = 7 };
#define SQRT     sqrtf
#define ROUNDING 0x1.8p23f
#define LN2_HIGH 0x1.62e430p-1f
#define LN2_LOW  -0x1.05c610p-29f
#define EXP_LOW  -87
#define TANH_ONE 10
#endif
typedef Bits WidestBits VECTOR(sizeof(Widest));
#define LOG2_E 1.44269504088896340736

/* e^x = 2^n e^r with n = round(x / ln 2), |r| <= ln 2 / 2. Returns e^r - 1 by
   its Taylor series, the rest below half a rounding step, and 2^n. */
static inline Widest
exp_parts(Widest x, Widest *power)
{
    static const real inverse_factorial[] = {
        1,
        1,
        1. / 2,
        1. / 6,
        1. / 24,
        1. / 120,
        1. / 720,
        1. / 5040,
        1. / 40320,
        1. / 362880,
        1. / 3628800,
        1. / 39916800,
        1. / 479001600.,
        1. / 6227020800.,
    };
    Widest shifted = x * (real)LOG2_E + ROUNDING, minus_n = ROUNDING - shifted;
    Widest r = FMA_WIDEST(minus_n, broadcast(LN2_HIGH), x);
    r = FMA_WIDEST(minus_n, broadcast(LN2_LOW), r);
    *power = (Widest)(((WidestBits)shifted + BIAS) << MANTISSA);
    Widest p = broadcast(inverse_factorial[EXP_DEGREE]);
#pragma GCC unroll 16
    for (int i = EXP_DEGREE - 1; i > 0; i--)
        p = FMA_WIDEST(p, r, broadcast(inverse_factorial[i]));
    return p * r;
}

/* e^x to 2 units in the last place for x up to 87 (708 in double); 0 below
   -87 (-708). */
static inline Widest
exponential(Widest x)
{
    Widest power, minus_one = exp_parts(larger(broadcast(EXP_LOW), x), &power);
    Widest e = FMA_WIDEST(power, minus_one, power);
    return select_lanes(x < EXP_LOW, broadcast(0), e);
}

/* tanh x = (e^2|x| - 1) / (e^2|x| + 1) with the sign of x, to 4 units in the
   last place, small x included. */
static inline Widest
hyperbolic_tangent(Widest x)
{
    WidestBits sign = (WidestBits)x & (WidestBits)broadcast((real)-0.);
    Widest a = (Widest)((WidestBits)x ^ sign), power;
    a = select_lanes(a > TANH_ONE, broadcast(TANH_ONE), a);
    Widest minus_one = exp_parts(2 * a, &power);
    Widest e = FMA_WIDEST(power, minus_one, power - 1); /* e^2a - 1 */
    return (Widest)((WidestBits)(e / (e + 2)) | sign);
}

#define ROOT_HALF UINT64_C(0x3fe6a09e667f3bcd) /* the bits of sqrt 1/2 */

/* log x for a positive, normal x, in double: x = 2^n m with m within
   [sqrt 1/2, sqrt 2], log m = 2 artanh((m - 1) / (m + 1)) as a series. */
static inline double
logarithm(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int n = (int)((int64_t)(bits - ROOT_HALF) >> 52);
    bits -= (uint64_t)n << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int i = 21; i > 0; i -= 2)
        sum = sum * s2 + 1. / i;
    return 2 * s * sum + n * 0.69314718055994530942;
}

/* e^-x in double for x >= 0: its series at x / 64, six times squared; that of a
   large x is the square of that of half. */
static inline double
decay(double x)
{
    if (x > 128) {
        double half = decay(x / 2);
        return half * half;
    }
    double y = -x / 64, term = 1, sum = 1;
    for (int i = 1; i < 24; i++) {
        term *= y / i;
        sum += term;
    }
    for (int i = 0; i < 6; i++)
        sum *= sum;
    return sum;
}

/* sin x in double, by its Taylor series after |x| is brought below pi. */
static inline double
sine(double x)
{
    const double pi = 3.14159265358979323846;
    x -= 2 * pi * floor(x / (2 * pi) + 0.5);
    double term = x, sum = x;
    for (int i = 2; i < 34; i += 2) {
        term *= -x * x / (i * (i + 1));
        sum += term;
    }
    return sum;
}

static inline double
cosine(double x)
{
    return sine(x + 1.57079632679489661923);
}

/* sin x and cos x in double, each to 2^-52, for |x| up to 2^30: x = n pi/2 + r
   with |r| <= pi/4, where pi/2 is the sum of two doubles, so that r is exact
   but for one rounding; then their Taylor series at r. */
static inline void
sine_cosine(double x, double *s, double *c)
{
    double n = floor(x * 0.63661977236758134308 + 0.5);
    double r = fma(-n, 0x1.921fb54442d18p+0, x);
    r = fma(-n, 0x1.1a62633145c07p-54, r);
    double a = 1, b = 1; /* sin r / r, and cos r */
    for (int i = 18; i > 0; i -= 2) {
        a = 1 - r * r / (i * (i + 1)) * a;
        b = 1 - r * r / (i * (i - 1)) * b;
    }
    int quarter = (int)(n - 4 * floor(n / 4));
    double turned[] = {r * a, b, -r * a, -b};
    *s = turned[quarter];
    *c = turned[(quarter + 1) % 4];
}

#endif
