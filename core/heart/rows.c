/* rows.c - the inner loops over the rows of a matrix, entry by entry. */
#include "heart/numbers.h"
#include "heart/rows.h"

real
row_dot(const real *x, const real *y, int n)
{
    real lane[LANES] = {0};
    for (int j = 0; j < n; j++)
        lane[j % LANES] = FUSED(x[j], y[j], lane[j % LANES]);
    return sum_of_lanes(lane);
}

real
row_max(const real *x, int n)
{
    real max = x[0];
    for (int j = 1; j < n; j++)
        max = x[j] > max ? x[j] : max;
    return max;
}

/* The first n of the `all` entries of x become e^(x_j - max), and the rest
   become 0. Returns the sum of the exponentials. None overflows if max is the
   largest x_j. */
static real
row_exponentials(real *x, int n, int all, real max)
{
    real lane[LANES] = {0};
    for (int j = 0; j < n; j++) {
        x[j] = exponential(x[j] - max);
        lane[j % LANES] += x[j];
    }
    for (int j = n; j < all; j++)
        x[j] = 0;
    return sum_of_lanes(lane);
}

void
row_softmax(real *x, int n, int all)
{
    real inverse = 1 / row_exponentials(x, n, all, row_max(x, n));
    for (int j = 0; j < all; j++)
        x[j] *= inverse;
}

double
row_probabilities(real *x, int n)
{
    real max = row_max(x, n), sum = row_exponentials(x, n, n, max);
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
