/* rows.c - the inner loops over the rows of a matrix, vector by vector.

   Within a row every step waits for the one before, and not for those of other
   rows: so LayerNorm does each step in ROWS_AT_A_TIME rows before the next. */
#include "fast/lanes.h"
#include "heart/rows.h"
#include "heart/tape.h"
#include "heart/threads.h"

real
row_dot(const real *x, const real *y, int n)
{
    return lane_dot(x, y, n);
}

void
row_add(real *to, real factor, const real *x, int n)
{
    Widest f = broadcast(factor), v[PARTS], w[PARTS];
    for (; n > 0; n -= LANES, to += LANES, x += LANES) {
        load(v, x, n);
        load(w, to, n);
        EACH_PART w[p] = FMA_WIDEST(f, v[p], w[p]);
        store(to, w, n);
    }
}

real
row_max(const real *x, int n)
{
    return lane_max(x, 1, n, n);
}

/* The exponentials in x, and that of a sink, added in their lanes. */
static real
sum_beside(const real *x, int n, real sink)
{
    real lane[LANES] = {0};
    for (int j = 0; j < n; j++)
        lane[j % LANES] += x[j];
    lane[n % LANES] += sink;
    return sum_of(lane);
}

real
row_softmax(real *x, int n, int all, real sink)
{
    real max = lane_max(x, 1, n, all), beside = 0;
    max = sink > max ? sink : max;
    real sum = lane_exponentials(x, 1, n, all, max);
    if (sink > -INFINITY) {
        beside = exponential(sink - max);
        sum = sum_beside(x, n, beside);
    }
    lane_scale(x, 1 / sum, all);
    return beside * (1 / sum);
}

double
row_shares(real *x, int n)
{
    real max = lane_max(x, 1, n, n);
    real sum = lane_exponentials(x, 1, n, n, max);
    for (int j = 0; j < n; j++)
        x[j] /= sum;
    return logarithm((double)sum) + (double)max;
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

/* How many rows are done together from row i on. */
static int
rows_at(int i, const Node *c)
{
    return c->rows - i < ROWS_AT_A_TIME ? c->rows - i : ROWS_AT_A_TIME;
}

void
norm_forward(Node *c)
{
    real *inverse = c->kept + size_of(c);
    for (int i = 0; i < c->rows; i += ROWS_AT_A_TIME) {
        int at = i * c->cols;
        some_norms(rows_at(i, c), c->cols, c->value + at, c->kept + at,
                   c->in[0]->value + at, c->in[1]->value, c->in[2]->value,
                   inverse + i);
    }
}

/* dGain += dC n,  dBias += dC,  g = gain dC */
static void
norm_to_gain(int rows, int d, const real *dc, const real *n, const real *gain,
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
norm_backward(Node *c)
{
    Node *x = c->in[0], *gain = c->in[1];
    real *dgain = gradient(gain), *dbias = gradient(c->in[2]);
    real *dx = x->trained ? gradient(x) : NULL;
    real *inverse = c->kept + size_of(c), *g = inverse + c->rows;
    for (int i = 0; i < c->rows; i += ROWS_AT_A_TIME) {
        int at = i * c->cols, rows = rows_at(i, c);
        norm_to_gain(rows, c->cols, c->gradient + at, c->kept + at, gain->value,
                     dgain, dbias, g);
        if (dx)
            norm_to_x(rows, c->cols, dx + at, g, c->kept + at, inverse + i);
    }
}

typedef struct Entries {
    real *y;
    const real *x;
} Entries;

static void
tanh_range(void *entries, long from, long to)
{
    const Entries *e = entries;
    for (long i = from; i < to; i += LANES) {
        Widest v[PARTS];
        load(v, e->x + i, to - i);
        EACH_PART v[p] = tangents(v[p]);
        store(e->y + i, v, to - i);
    }
}

void
tanh_entries(real *y, const real *x, size_t n)
{
    Entries e = {y, x};
    parallel_for((long)n, tanh_range, &e);
}
