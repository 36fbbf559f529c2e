/* functions.h - our own e^-x, sin x and cos x, the same bits on every machine
   (heart/numbers.h), for rotations, the slopes of ALiBi and schedules. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <math.h>

/* e^-x for x >= 0: the series of e^-(x / 64), squared six times. A large x is
   first halved until it is at most 128, and the result squared once more for
   each time. */
static inline double
decay(double x)
{
    int squared = 6;
    for (; x > 128; x /= 2)
        squared++;
    double y = -x / 64, term = 1, sum = 1;
    for (int i = 1; i < 24; i++) {
        term *= y / i;
        sum += term;
    }
    for (int i = 0; i < squared; i++)
        sum *= sum;
    return sum;
}

/* Sets *s to sin x and *c to cos x, each to 2^-52, for |x| up to 2^30.
   x = n pi/2 + r with |r| <= pi/4, where pi/2 is the sum of two doubles, so
   that r is rounded only once. The Taylor series give sin r and cos r, and the
   quarter of the circle says which of them is sin x and which is cos x. */
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
