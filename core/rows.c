/* rows.c - sums, maxima and softmax over one row of numbers. */
#include "elementary.h"
#include "rows.h"

enum { LANES = 16 };

static real
fold(real *lane)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

real
row_sum(const real *x, int n)
{
    real lane[LANES] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += x[i + l];
    for (int l = 0; i + l < n; l++)
        lane[l] += x[i + l];
    return fold(lane);
}

real
row_dot(const real *x, const real *y, int n)
{
    real lane[LANES] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] = FMA(x[i + l], y[i + l], lane[l]);
    for (int l = 0; i + l < n; l++)
        lane[l] = FMA(x[i + l], y[i + l], lane[l]);
    return fold(lane);
}

real
row_max(const real *x, int n)
{
    real lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = x[l < n ? l : 0];
    int i = LANES;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] = x[i + l] > lane[l] ? x[i + l] : lane[l];
    for (int l = 0; i + l < n; l++)
        lane[l] = x[i + l] > lane[l] ? x[i + l] : lane[l];
    for (int l = 1; l < LANES; l++)
        lane[0] = lane[l] > lane[0] ? lane[l] : lane[0];
    return lane[0];
}

real
row_exponentials(real *p, const real *x, real factor, int n, real *max)
{
    for (int i = 0; i < n; i++)
        p[i] = factor * x[i];
    real top = row_max(p, n);
    for (int i = 0; i < n; i++)
        p[i] = exponential(p[i] - top);
    *max = top;
    return row_sum(p, n);
}

void
row_weights(real *p, const real *x, real factor, int n, real max, real inverse)
{
    for (int i = 0; i < n; i++)
        p[i] = exponential(factor * x[i] - max) * inverse;
}

void
row_tanh(real *y, const real *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = hyperbolic_tangent(x[i]);
}

void
row_softmax(real *p, const real *x, real factor, int n)
{
    real max, inverse = 1 / row_exponentials(p, x, factor, n, &max);
    for (int i = 0; i < n; i++)
        p[i] *= inverse;
}
