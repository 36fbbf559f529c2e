/* slim.c - takes the gauge out of the heads of a published model.

   Both pairs of maps are treated alike: a left one, W^Q or W^O turned over, and
   the one that a group of heads shares, W^K or W^V. left_i A^-T and shared A
   have the same products for every invertible A; A is the inverse of some rows
   of `shared`, which then are those of the identity. A rotation is a factor
   e^it of a pair of columns as one complex number, so only such factors pass
   it: there A is the inverse of one complex number of a row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "models/slim.h"

/* n columns of a head's map, from `first` on, times a (n x n) or, `flipped`,
   a'. */
static void
multiply_columns(double *map, int rows, int width, int first, const double *a,
                 int n, bool flipped)
{
    double *row = allocate((size_t)n, sizeof *row);
    for (double *at = map + first; at < map + rows * width; at += width) {
        product_of(row, at, a, 1, n, n, flipped);
        memcpy(at, row, (size_t)n * sizeof *row);
    }
    free(row);
}

/* Makes n rows of those columns of `shared` the identity, or of a rotated pair
   one row 1, and the heads of `left` that share them what they must be. The
   rows are chosen one by one, each the farthest from the span of those before
   it. Returns their condition. */
static double
slim_columns(Heads *l, int left, int shared, int group, int from, int n,
             bool rotated)
{
    int d = l->model->d_model, width = l->of[shared].width;
    int count = l->model->heads / l->model->groups, first = group * count;
    double *map = head_map(l, shared, first);
    size_t size = (size_t)n * (size_t)n;
    int *rows = allocate((size_t)n, sizeof *rows);
    double *part = allocate(3 * size, sizeof *part), *inverse = part + size;
    double *rest = allocate((size_t)d * (size_t)n, sizeof *rest);
    for (int i = 0; i < d * n; i++)
        rest[i] = map[i / n * width + from + i % n];
    row_basis(rest, d, n, inverse + size, rows);
    for (int i = 0; i < n * n; i++)
        part[i] = map[rows[i / n] * width + from + i % n];
    if (rotated) {
        part[2] = -part[1];
        part[3] = part[0];
    }
    Svd s = svd_of(part, n, n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int c = 0; c < n; c++)
                inverse[i * n + c] += s.v[i * n + k] / s.s[k] * s.u[c * n + k];
    multiply_columns(map, d + 1, width, from, inverse, n, false);
    for (int i = 0; i < (rotated ? n : n * n); i++)
        map[rows[i / n] * width + from + i % n] = i / n == i % n;
    for (int head = first; head < first + count; head++)
        multiply_columns(head_map(l, left, head), d + 1, width, from, part, n,
                         true);
    double condition = s.s[n - 1] > 0 ? s.s[0] / s.s[n - 1] : INFINITY;
    free(s.u);
    free(rest);
    free(part);
    free(rows);
    return condition;
}

/* Biases that do nothing: of keys, unless they are rotated; and of values,
   which that of the output gets, as the weights of a row sum to 1. */
static void
slim_biases(Heads *l)
{
    const Published *m = l->model;
    int d = m->d_model, count = m->heads / m->groups;
    bool moves =
        l->of[VALUE].bias && l->of[OUTPUT].bias && !published_has(m, "sinks");
    for (int head = 0; head < m->heads; head++) {
        double *key = head_map(l, KEY, head) + d * m->d_k;
        double *value = head_map(l, VALUE, head) + d * m->d_v;
        double *output = head_map(l, OUTPUT, head);
        for (int c = m->rope; c < m->d_k; c++)
            key[c] = 0;
        for (int i = 0; moves && i < d * m->d_v; i++)
            l->constant[i / m->d_v] += output[i] * value[i % m->d_v];
        for (int c = 0; moves && head % count == count - 1 && c < m->d_v; c++)
            value[c] = 0;
    }
}

double
heads_slim(Heads *l)
{
    const Published *m = l->model;
    double worst = 1;
    bool norm = published_has(m, "head-norm") || published_has(m, "full-norm");
    for (int g = 0; g < m->groups; g++) {
        int plain = norm ? 0 : m->d_k - m->rope;
        for (int at = 0; !norm && at < m->rope; at += 2)
            worst = fmax(worst, slim_columns(l, QUERY, KEY, g, at, 2, true));
        if (plain)
            worst = fmax(worst,
                         slim_columns(l, QUERY, KEY, g, m->rope, plain, false));
        worst =
            fmax(worst, slim_columns(l, OUTPUT, VALUE, g, 0, m->d_v, false));
    }
    slim_biases(l);
    return worst;
}

/* q, k or v of a head for tokens (RANDOM_TOKENS x d_model + 1) whose last
   column is 1, q and k rotated. */
static void
project(const Heads *l, int i, int head, const double *tokens, double *to)
{
    int width = l->of[i].width, rotated = i == VALUE ? 0 : l->model->rope;
    product_of(to, tokens, head_map(l, i, head), RANDOM_TOKENS,
               l->model->d_model + 1, width, false);
    for (int t = 0; t < RANDOM_TOKENS; t++)
        for (int c = 0; c < rotated; c += 2) {
            double *pair = to + t * width + c, x = pair[0], y = pair[1];
            double angle = t * pow(10000, -(double)c / rotated);
            pair[0] = x * cos(angle) - y * sin(angle);
            pair[1] = x * sin(angle) + y * cos(angle);
        }
}

double *
heads_output(const Heads *l)
{
    enum { T = RANDOM_TOKENS };
    int d = l->model->d_model, k = l->model->d_k, v = l->model->d_v;
    size_t size = T * (size_t)(d + 1 + k + v);
    double *tokens = allocate(3 * size, sizeof *tokens);
    double *q = tokens + size, *keys = q + T * k, *values = keys + T * k;
    double *mixed = values + T * v, *more = mixed + T * v, scores[T * T];
    double *out = allocate(T * (size_t)d, sizeof *out);
    Random random = random_stream(1, "open");
    for (int i = 0; i < T * (d + 1); i++) /* of length 1: no exp overflows */
        tokens[i] = i % (d + 1) == d ? 1 : random_normal(&random) / sqrt(d);
    for (int i = 0; i < T * d; i++)
        out[i] = l->constant[i % d];
    for (int head = 0; head < l->model->heads; head++) {
        project(l, QUERY, head, tokens, q);
        project(l, KEY, head, tokens, keys);
        project(l, VALUE, head, tokens, values);
        product_of(scores, q, keys, T, k, T, true);
        for (int t = 0; t < T; t++) {
            double sum = 0;
            for (int i = t * T; i < (t + 1) * T; i++)
                sum += scores[i] = exp(scores[i] / sqrt(k));
            for (int i = t * T; i < (t + 1) * T; i++)
                scores[i] /= sum;
        }
        product_of(mixed, scores, values, T, T, v, false);
        product_of(more, mixed, head_map(l, OUTPUT, head), T, v, d, true);
        for (int i = 0; i < T * d; i++)
            out[i] += more[i];
    }
    free(tokens);
    return out;
}
