/* rows.c - the inner loops over the rows of a matrix, entry by entry. */
#include "heart/numbers.h"
#include "heart/rows.h"

real
row_dot(const real *x, const real *y, int n)
{
    real lane[LANES] = {0};
    for (int j = 0; j < n; j++)
        lane[j % LANES] = FUSED(x[j], y[j], lane[j % LANES]);
    return sum_of(lane);
}

real
row_max(const real *x, int n)
{
    real max = x[0];
    for (int j = 1; j < n; j++)
        max = x[j] > max ? x[j] : max;
    return max;
}

/* x becomes e^(x - max) of its first n entries, 0 up to `all`; the sum, to
   which e^(sink - max) belongs. */
static real
row_exponentials(real *x, int n, int all, real max, real sink)
{
    real lane[LANES] = {0};
    for (int j = 0; j < all; j++) {
        x[j] = j < n ? exponential(x[j] - max) : 0;
        lane[j % LANES] += x[j];
    }
    lane[n % LANES] += exponential(sink - max);
    return sum_of(lane);
}

real
row_softmax(real *x, int n, int all, real sink)
{
    real max = row_max(x, n);
    max = sink > max ? sink : max;
    real inverse = 1 / row_exponentials(x, n, all, max, sink);
    for (int j = 0; j < all; j++)
        x[j] *= inverse;
    return exponential(sink - max) * inverse;
}

double
row_shares(real *x, int n)
{
    real max = row_max(x, n), sum = row_exponentials(x, n, n, max, -INFINITY);
    for (int j = 0; j < n; j++)
        x[j] /= sum;
    return logarithm((double)sum) + (double)max;
}

void
tanh_entries(real *y, const real *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = hyperbolic_tangent(x[i]);
}
