/* numbers.h - our own exp, tanh and log, and sums in a fixed order, so that
   all machines compute the same bits.

   libm's functions differ in the last bit between systems, and one bit is
   enough to make two trainings drift apart. These use only +, -, *, / and fma,
   which IEEE 754 fixes bit for bit, and functions whose results are exact
   (rint, ldexp, frexp). */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <math.h>

#include <qkv/real.h>

/* FUSED(a, b, c) is a b + c, rounded once. EXP_DEGREE is the highest power in
   the series of e^r. e^x is taken to be 0 for x < EXP_LOW. For x > TANH_ONE,
   tanh x rounds to 1. LN2_HIGH + LN2_LOW is ln 2, to twice the digits of a
   real. */
#ifdef QKV_DOUBLE
enum { EXP_DEGREE = 13, EXP_LOW = -708, TANH_ONE = 20 };
#define SQRT     sqrt
#define FUSED    fma
#define LN2_HIGH 0x1.62e42fefa39efp-1
#define LN2_LOW  0x1.abc9e3b39803fp-56
#else
enum { EXP_DEGREE = 7, EXP_LOW = -87, TANH_ONE = 10 };
#define SQRT     sqrtf
#define FUSED    fmaf
#define LN2_HIGH 0x1.62e430p-1f
#define LN2_LOW  -0x1.05c610p-29f
#endif
#define LOG2_E 1.44269504088896340736

/* e^x = 2^n e^r with n = round(x / ln 2), r = x - n ln 2, |r| <= ln 2 / 2. Sets
   *power to 2^n, and returns e^r - 1 by its Taylor series r + r^2 / 2! + ...
   The terms that are left out sum to less than half a rounding step. n ln 2 is
   subtracted in two parts, so that r loses no digits. x is at most 87 (708 in
   double), or NaN. */
static inline real
exp_parts(real x, real *power)
{
    double n = rint((double)(x * (real)LOG2_E));
    real r = FUSED((real)-n, LN2_HIGH, x);
    r = FUSED((real)-n, LN2_LOW, r);
    real inverse[EXP_DEGREE + 1]; /* 1 / i! */
    double factorial = 1;
    for (int i = 1; i <= EXP_DEGREE; i++) {
        factorial *= i;
        inverse[i] = (real)(1 / factorial);
    }
    real p = inverse[EXP_DEGREE]; /* (e^r - 1) / r, by Horner's rule */
    for (int i = EXP_DEGREE - 1; i > 0; i--)
        p = FUSED(p, r, inverse[i]);
    /* If x is NaN, so is the result; n must not become an int then. */
    *power = isnan(n) ? x : (real)ldexp(1, (int)n);
    return p * r;
}

/* e^x to 2 units in the last place for x up to 87 (708 in double); 0 below
   -87 (-708). */
static inline real
exponential(real x)
{
    if (x < EXP_LOW)
        return 0;
    real power;
    real minus_one = exp_parts(x, &power);
    return FUSED(power, minus_one, power); /* 2^n (e^r - 1) + 2^n */
}

/* tanh x = (e^2|x| - 1) / (e^2|x| + 1) with the sign of x, to 4 units in the
   last place, small x included. */
static inline real
hyperbolic_tangent(real x)
{
    real power, a = x < 0 ? -x : x;
    a = a > TANH_ONE ? TANH_ONE : a; /* tanh rounds to 1 from there on */
    real minus_one = exp_parts(2 * a, &power);
    real e = FUSED(power, minus_one, power - 1); /* e^2a - 1 */
    real t = e / (e + 2);
    return x < 0 ? -t : t;
}

/* log x for a positive, normal x: x = 2^n m with m in [sqrt(1/2), sqrt(2)], so
   log x = n ln 2 + log m, and log m = 2 artanh s with s = (m - 1) / (m + 1).
   The series is artanh s = s (1 + s^2 / 3 + s^4 / 5 + ...). |s| is at most
   0.172, so the terms up to s^21 are enough for double. */
static inline double
logarithm(double x)
{
    int n;
    double m = frexp(x, &n), sum = 0;
    if (m < 0x1.6a09e667f3bcdp-1) { /* sqrt(1/2): frexp's m is in [1/2, 1) */
        m *= 2;
        n--;
    }
    double s = (m - 1) / (m + 1);
    for (int i = 21; i > 0; i -= 2)
        sum = sum * (s * s) + 1. / i;
    return 2 * s * sum + n * 0.69314718055994530942; /* ln 2 */
}

/* A sum over a row is computed as 16 sums, the lanes: entry j is added to lane
   j mod 16. Vectors of 4, 8 or 16 entries can all follow this order, so all get
   the same bits. */
enum { LANES = 16 };

/* The sum of LANES lanes, which it overwrites: the second half is added to the
   first half until one lane is left. */
static inline real
sum_of_lanes(real *lane)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

#endif
