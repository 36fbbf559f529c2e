/* rows.c - the inner loops over the rows of a matrix, entry by entry. */
#include "heart/numbers.h"
#include "heart/rows.h"
#include "heart/tape.h"

static real
row_sum(const real *x, int n)
{
    real lane[LANES] = {0};
    for (int j = 0; j < n; j++)
        lane[j % LANES] += x[j];
    return sum_of(lane);
}

real
row_dot(const real *x, const real *y, int n)
{
    real lane[LANES] = {0};
    for (int j = 0; j < n; j++)
        lane[j % LANES] = FUSED(x[j], y[j], lane[j % LANES]);
    return sum_of(lane);
}

void
row_add(real *to, real factor, const real *x, int n)
{
    for (int j = 0; j < n; j++)
        to[j] = FUSED(factor, x[j], to[j]);
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
norm_forward(Node *c)
{
    const real *x = c->in[0]->value, *gain = c->in[1]->value;
    const real *bias = c->in[2]->value;
    real *y = c->value, *n = c->kept, *inverse = c->kept + size_of(c);
    int d = c->cols;
    for (int i = 0; i < c->rows; i++, x += d, n += d, y += d) {
        real mean = row_sum(x, d) / (real)d;
        for (int j = 0; j < d; j++)
            n[j] = x[j] - mean;
        inverse[i] = 1 / SQRT(row_dot(n, n, d) / (real)d + (real)1e-5);
        for (int j = 0; j < d; j++) {
            n[j] *= inverse[i];
            y[j] = gain[j] * n[j] + bias[j];
        }
    }
}

/* With g = gain . dC:  dGain += dC . n,  dBias += dC,
   dX += (g - mean(g) - n mean(g . n)) / deviation, of each row */
void
norm_backward(Node *c)
{
    Node *x = c->in[0];
    const real *dy = c->gradient, *gain = c->in[1]->value, *n = c->kept;
    const real *inverse = n + size_of(c);
    real *dgain = gradient(c->in[1]), *dbias = gradient(c->in[2]);
    real *dx = x->trained ? gradient(x) : NULL;
    real *g = c->kept + size_of(c) + c->rows;
    int d = c->cols;
    for (int i = 0; i < c->rows; i++, dy += d, n += d) {
        for (int j = 0; j < d; j++) {
            dgain[j] += dy[j] * n[j];
            dbias[j] += dy[j];
            g[j] = dy[j] * gain[j];
        }
        real mean = row_sum(g, d) / (real)d, along = row_dot(g, n, d) / (real)d;
        for (int j = 0; dx && j < d; j++)
            *dx++ += (g[j] - mean - n[j] * along) * inverse[i];
    }
}

void
tanh_entries(real *y, const real *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = hyperbolic_tangent(x[i]);
}
