/* sine.h - sin and cos of our own for tables and schedules, so that machines
   agree (heart/numbers.h). */
#ifndef SINE_H
#define SINE_H

#include <math.h>

/* sin x and cos x, by the Taylor series of the sine after |x| is brought below
   pi. */
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
