/* elementary.h - exp, tanh, log, sin of our own, so that machines agree.

   libm's differ in the last bit between systems, and one bit is enough to
   make two trainings drift apart. These use +, -, *, / and fma only, which
   IEEE 754 fixes to the bit, and the first two have no branch, so that a
   plain loop over them is vectorised. */
#ifndef ELEMENTARY_H
#define ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <qkv/real.h>

#ifdef QKV_DOUBLE
typedef uint64_t Bits;
enum { MANTISSA = 52, BIAS = 1023, EXP_DEGREE = 13 };
#define FMA      fma
#define SQRT     sqrt
#define ROUNDING 0x1.8p52 /* adding it rounds to the nearest integer */
#define LN2_HIGH 0x1.62e42fefa39efp-1
#define LN2_LOW  0x1.abc9e3b39803fp-56
#define EXP_LOW  -708
#define TANH_ONE 20 /* tanh is 1 from here on */
#else
typedef uint32_t Bits;
enum { MANTISSA = 23, BIAS = 127, EXP_DEGREE = 7 };
#define FMA      fmaf
#define SQRT     sqrtf
#define ROUNDING 0x1.8p23f
#define LN2_HIGH 0x1.62e430p-1f
#define LN2_LOW  -0x1.05c610p-29f
#define EXP_LOW  -87
#define TANH_ONE 10
#endif
#define LOG2_E 1.44269504088896340736

/* e^x = 2^n e^r with n = round(x / ln 2), |r| <= ln 2 / 2. Returns e^r - 1 by
   its Taylor series, the rest below half a rounding step, and 2^n. */
static inline real
exp_parts(real x, real *power)
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
    real shifted = x * (real)LOG2_E + ROUNDING, n = shifted - ROUNDING;
    real r = FMA(-n, LN2_LOW, FMA(-n, LN2_HIGH, x));
    Bits exponent;
    memcpy(&exponent, &shifted, sizeof exponent);
    exponent = (exponent + BIAS) << MANTISSA;
    memcpy(power, &exponent, sizeof exponent);
    real p = inverse_factorial[EXP_DEGREE];
#pragma GCC unroll 16
    for (int i = EXP_DEGREE - 1; i > 0; i--)
        p = FMA(p, r, inverse_factorial[i]);
    return p * r;
}

/* e^x to 2 units in the last place for x up to 87 (708 in double); 0 below
   -87 (-708). */
static inline real
exponential(real x)
{
    real power, minus_one = exp_parts(x < EXP_LOW ? EXP_LOW : x, &power);
    real e = FMA(power, minus_one, power);
    return x < EXP_LOW ? 0 : e;
}

/* tanh x = (e^2|x| - 1) / (e^2|x| + 1) with the sign of x, to 4 units in the
   last place, small x included. */
static inline real
hyperbolic_tangent(real x)
{
    real a = x < 0 ? -x : x, power;
    a = a > TANH_ONE ? TANH_ONE : a;
    real minus_one = exp_parts(2 * a, &power);
    real e = FMA(power, minus_one, power - 1); /* e^2a - 1 */
    real t = e / (e + 2);
    return x < 0 ? -t : t;
}

/* log x for a positive, normal x, in double: x = 2^n m with m within
   [sqrt 1/2, sqrt 2], log m = 2 artanh((m - 1) / (m + 1)) as a series. */
static inline double
logarithm(double x)
{
    int n;
    double m = frexp(x, &n);
    if (m < 0.70710678118654752440) {
        m *= 2;
        n--;
    }
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int i = 21; i > 0; i -= 2)
        sum = sum * s2 + 1. / i;
    return 2 * s * sum + n * 0.69314718055994530942;
}

/* e^-x in double for x >= 0: its series at x / 64, six times squared. */
static inline double
decay(double x)
{
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

#endif
