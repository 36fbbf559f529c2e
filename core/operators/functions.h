/* functions.h - our own e^-x, sin x and cos x, the same bits on every machine
   (heart/numbers.h), for rotations, schedules, sampling and the like. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <math.h>

/* e^-x for x >= 0. x is halved at least six times, and until it is at most 2,
   so that 23 terms of the series of e^-x are enough for double. Then the result
   is squared as often as x was halved, since e^-x = (e^-(x/2))^2. */
static inline double
decay(double x)
{
    int halvings = 6; /* the first six are the division by 64 = 2^6 */
    for (; x > 128; x /= 2)
        halvings++;
    double y = -x / 64, term = 1, sum = 1;
    for (int i = 1; i < 24; i++) {
        term *= y / i;
        sum += term;
    }
    for (int i = 0; i < halvings; i++)
        sum *= sum;
    return sum;
}

/* Sets *s to sin x and *c to cos x, with an error of at most 2^-52, for |x| up
   to 2^30. x = n pi/2 + r with |r| <= pi/4, and pi/2 is the sum of two doubles,
   so that r is rounded only once. The Taylor series give sin r and cos r up to
   r^19 and r^18. The quarter of the circle, n mod 4, tells which of them is sin
   x, which is cos x, and their signs. */
static inline void
sine_cosine(double x, double *s, double *c)
{
    double n = floor(x * 0.63661977236758134308 + 0.5); /* 2 / pi */
    double r = fma(-n, 0x1.921fb54442d18p+0, x);
    r = fma(-n, 0x1.1a62633145c07p-54, r);
    double a = 1, b = 1; /* sin r / r, and cos r, by Horner's rule */
    for (int i = 18; i > 0; i -= 2) {
        a = 1 - r * r / (i * (i + 1)) * a;
        b = 1 - r * r / (i * (i - 1)) * b;
    }
    int quarter = (int)(n - 4 * floor(n / 4));
    double sines[] = {r * a, b, -r * a, -b}; /* sin(r + quarter pi/2) */
    *s = sines[quarter];
    *c = sines[(quarter + 1) % 4]; /* cos x = sin(x + pi/2) */
}

#endif
