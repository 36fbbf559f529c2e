/* rows.c - the inner loops over the rows of a matrix, vector by vector.

   Within a row every step waits for the one before, and not for those of other
   rows: so each step is done in up to ROWS_AT_A_TIME rows before the next. */
#include <string.h>

#include "fast/lanes.h"
#include "heart/rows.h"

real
row_sum(const real *x, int n)
{
    return lane_sum(x, n);
}

real
row_dot(const real *x, const real *y, int n)
{
    return lane_dot(x, y, n);
}

void
row_add(real *to, real factor, const real *x, int n)
{
    lane_add(to, factor, x, n);
}

real
row_max(const real *x, int n)
{
    return lane_max(x, 1, n, n);
}

void
row_softmax(real *x, int n, int all)
{
    lane_softmax(x, 1, n, all);
}

void
rows_shares(real *const *row, double *z, int rows, int n)
{
    real max[ROWS_AT_A_TIME], sum[ROWS_AT_A_TIME];
    for (int i = 0; i < rows; i++)
        max[i] = lane_max(row[i], 1, n, n);
    for (int i = 0; i < rows; i++)
        sum[i] = lane_exponentials(row[i], 1, n, n, max[i]);
    for (int i = 0; i < rows; i++) {
        lane_divide(row[i], sum[i], n);
        z[i] = logarithm((double)sum[i]) + (double)max[i];
    }
}

void
softmax_rows(Matrix p, Matrix s, int causal)
{
    for (int i = 0; i < p.rows; i++) {
        real *row = p.at + i * p.down;
        memcpy(row, s.at + i * s.down, (size_t)p.cols * sizeof *row);
        lane_softmax(row, 1, keys_seen(causal, i, p.rows, p.cols), p.cols);
    }
}

void
softmax_rows_backward(Matrix ds, Matrix p, Matrix dp)
{
    for (int i = 0; i < p.rows; i++) {
        real *restrict to = ds.at + i * ds.down;
        const real *restrict w = p.at + i * p.down;
        const real *restrict d = dp.at + i * dp.down;
        real mean = lane_dot(w, d, p.cols);
        for (int j = 0; j < p.cols; j++)
            to[j] += w[j] * (d[j] - mean);
    }
}

/* How many of the rows are done together from row i on. */
static int
rows_at(int i, int rows)
{
    return rows - i < ROWS_AT_A_TIME ? rows - i : ROWS_AT_A_TIME;
}

/* n = (x - mean) / deviation, y = gain n + bias; `inverse` becomes 1 /
   deviation of each row. */
static void
some_norms(int rows, int d, real *restrict y, real *restrict n,
           const real *restrict x, const real *restrict gain,
           const real *restrict bias, real *restrict inverse)
{
    for (int i = 0; i < rows * d; i += d) {
        real mean = lane_sum(x + i, d) / (real)d;
        for (int j = i; j < i + d; j++)
            n[j] = x[j] - mean;
    }
    for (int i = 0; i < rows; i++)
        inverse[i] =
            1 / SQRT(lane_dot(n + i * d, n + i * d, d) / (real)d + (real)1e-5);
    for (int i = 0; i < rows; i++, n += d, y += d)
        for (int j = 0; j < d; j++) {
            n[j] *= inverse[i];
            y[j] = gain[j] * n[j] + bias[j];
        }
}

void
norm_rows(int rows, int d, real *y, real *n, real *inverse, const real *x,
          const real *gain, const real *bias)
{
    for (int i = 0, some; i < rows; i += some) {
        size_t at = (size_t)i * (size_t)d;
        some = rows_at(i, rows);
        some_norms(some, d, y + at, n + at, x + at, gain, bias, inverse + i);
    }
}

/* dGain += dC n,  dBias += dC,  g = gain dC */
static void
norm_backward(int rows, int d, const real *dc, const real *n, const real *gain,
              real *dgain, real *dbias, real *g)
{
    for (int j = 0; j < d; j += LANES) {
        Widest by[PARTS], to_gain[PARTS], to_bias[PARTS], u[PARTS], v[PARTS];
        load(by, gain + j, d - j);
        load(to_gain, dgain + j, d - j);
        load(to_bias, dbias + j, d - j);
        for (int i = j; i < rows * d; i += d) {
            load(u, dc + i, d - j);
            load(v, n + i, d - j);
            EACH_PART to_gain[p] += u[p] * v[p];
            EACH_PART to_bias[p] += u[p];
            EACH_PART u[p] *= by[p];
            store(g + i, u, d - j);
        }
        store(dgain + j, to_gain, d - j);
        store(dbias + j, to_bias, d - j);
    }
}

/* dX += (g - mean(g) - n mean(g n)) / deviation */
static void
norm_to_x(int rows, int d, real *dx, const real *g, const real *n,
          const real *inverse)
{
    real mean[ROWS_AT_A_TIME], along[ROWS_AT_A_TIME];
    for (int i = 0; i < rows; i++) {
        mean[i] = lane_sum(g + i * d, d) / (real)d;
        along[i] = lane_dot(g + i * d, n + i * d, d) / (real)d;
    }
    for (int i = 0; i < rows; i++, dx += d, g += d, n += d)
        for (int j = 0; j < d; j++)
            dx[j] += (g[j] - mean[i] - n[j] * along[i]) * inverse[i];
}

void
norm_rows_backward(int rows, int d, real *dx, real *dgain, real *dbias,
                   const real *dy, const real *n, const real *inverse,
                   const real *gain, real *g)
{
    for (int i = 0, some; i < rows; i += some) {
        size_t at = (size_t)i * (size_t)d;
        some = rows_at(i, rows);
        norm_backward(some, d, dy + at, n + at, gain, dgain, dbias, g);
        if (dx)
            norm_to_x(some, d, dx + at, g, n + at, inverse + i);
    }
}

/* y_i = f(x_i) */
static inline __attribute__((always_inline)) void
each_entry(real *y, const real *x, long n, Widest f(Widest))
{
    for (long i = 0; i < n; i += LANES) {
        Widest v[PARTS];
        load(v, x + i, n - i);
        EACH_PART v[p] = f(v[p]);
        store(y + i, v, n - i);
    }
}

void
tanh_entries(real *y, const real *x, long n)
{
    each_entry(y, x, n, tangents);
}

static inline Widest
logistic(Widest x)
{
    return (1 + tangents(x / 2)) / 2;
}

void
sigmoid_entries(real *y, const real *x, long n)
{
    each_entry(y, x, n, logistic);
}

void
gelu_entries(real *y, real *kept, const real *from, long n)
{
    for (long i = 0; i < n; i += LANES) {
        Widest x[PARTS], t[PARTS];
        load(x, from + i, n - i);
        EACH_PART t[p] = GELU_A * (x[p] + GELU_B * x[p] * x[p] * x[p]);
        EACH_PART t[p] = tangents(t[p]);
        EACH_PART x[p] = x[p] / 2 * (1 + t[p]);
        store(kept + i, t, n - i);
        store(y + i, x, n - i);
    }
}
