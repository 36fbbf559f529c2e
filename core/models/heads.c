/* heads.c - what the heads of a published model are, and how the gauge is taken
   out of them.

   Both pairs of maps are treated alike: a left one, W^Q or W^O turned over, and
   the one that a group of heads shares, W^K or W^V. left_i A^-T and shared A
   have the same products for every invertible A; A is the inverse of some rows
   of `shared`, which then are those of the identity. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/attend.h>

#include "algebra/canonical.h"
#include "algebra/svd.h"
#include "config/positions.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "models/heads.h"

/* to (n x n) = a' b, of n columns of each: a's from column i on, b's from j. */
static void
cross(const Heads *l, double *to, const Projection *a, int i,
      const Projection *b, int j, int n)
{
    memset(to, 0, (size_t)n * (size_t)n * sizeof *to);
    for (int row = 0; row < l->model->d_model; row++) {
        const double *x = a->w + (size_t)row * (size_t)a->cols + i;
        const double *y = b->w + (size_t)row * (size_t)b->cols + j;
        for (int r = 0; r < n; r++)
            for (int c = 0; c < n; c++)
                to[r * n + c] += x[r] * y[c];
    }
}

/* The squares of the singular values of left_i shared_g', in falling order, and
   how many of them have 99% of their sum. With left' left = U S U' they are the
   singular values of sqrt(S) U' (shared' shared) U sqrt(S), which is only as
   large as a head is wide. */
static int
spectrum(const Heads *l, const Projection *left, const Projection *shared,
         int head, double *squares)
{
    int n = left->width, group = head * shared->cols / left->cols;
    size_t size = (size_t)n * (size_t)n;
    double *a = allocate(4 * size, sizeof *a), *b = a + size;
    double *half = b + size, *c = half + size, all = 0, part = 0;
    cross(l, a, left, head * n, left, head * n, n);
    cross(l, b, shared, group * n, shared, group * n, n);
    Svd s = svd_of(a, n, n);
    for (int r = 0; r < n; r++)
        for (int k = 0; k < n; k++)
            half[k * n + r] = sqrt(s.s[k]) * s.u[r * n + k];
    product_of(c, half, b, n, n, n, false);
    product_of(a, c, half, n, n, n, true);
    Svd squared = svd_of(a, n, n);
    memcpy(squares, squared.s, (size_t)n * sizeof *squares);
    for (int k = 0; k < n; k++)
        all += squares[k];
    int rank = 0;
    while (rank < n && part < 0.99 * all)
        part += squares[rank++];
    free(squared.u);
    free(s.u);
    free(a);
    return rank;
}

HeadFacts
head_facts(const Heads *l, int head)
{
    const Projection *q = &l->of[QUERY], *k = &l->of[KEY];
    int n = q->width, group = head * k->cols / q->cols;
    size_t size = (size_t)n * (size_t)n;
    double *turned = allocate(size, sizeof *turned), both = 0, all = 0;
    HeadFacts f = {
        .spectra = allocate((size_t)(n + l->of[VALUE].width), sizeof(double))};
    f.rank_m = spectrum(l, q, k, head, f.spectra);
    f.rank_n = spectrum(l, &l->of[OUTPUT], &l->of[VALUE], head, f.spectra + n);
    cross(l, turned, k, group * n, q, head * n, n); /* <M, M'> = tr (K'Q)^2 */
    for (int r = 0; r < n; r++) {
        all += f.spectra[r];
        for (int c = 0; c < n; c++)
            both += turned[r * n + c] * turned[c * n + r];
    }
    f.symmetric = all > 0 ? (1 + both / all) / 2 : 1;
    free(turned);
    return f;
}

double
bias_norm(const Heads *l, int projection)
{
    const Projection *p = &l->of[projection];
    double sum = 0;
    for (int i = 0; p->b && i < p->cols; i++)
        sum += p->b[i] * p->b[i];
    return p->b ? sqrt(sum) : NAN;
}

/* Chooses n rows of n columns of a map, from `first` on: each is what is
   farthest from the span of those before it. */
static void
choose_rows(const Heads *l, const Projection *p, int first, int n, int *rows)
{
    int d = l->model->d_model;
    double *rest = allocate((size_t)(d + n) * (size_t)n, sizeof *rest);
    for (int i = 0; i < d; i++)
        memcpy(rest + i * n, p->w + i * p->cols + first,
               (size_t)n * sizeof *rest);
    row_basis(rest, d, n, rest + d * n, rows);
    free(rest);
}

/* n columns of a map, from `first` on, times a (n x n) or, `flipped`, a'; and
   of its bias, if it has an entry for each column. */
static void
multiply_columns(const Heads *l, Projection *p, int first, const double *a,
                 int n, bool flipped, bool biased)
{
    double *row = allocate((size_t)n, sizeof *row);
    for (int i = 0; i < l->model->d_model + (biased && p->b); i++) {
        double *at = i < l->model->d_model ? p->w + i * p->cols : p->b;
        product_of(row, at + first, a, 1, n, n, flipped);
        memcpy(at + first, row, (size_t)n * sizeof *row);
    }
    free(row);
}

/* Makes n rows of those columns of `shared` the identity, and the heads of
   `left` that share them what they must be. Returns the condition of these
   rows. */
static double
slim_columns(Heads *l, int left, int shared, int group, int from, int n)
{
    Projection *a = &l->of[left], *b = &l->of[shared];
    int count = a->cols / b->cols, first = group * b->width + from;
    size_t size = (size_t)n * (size_t)n;
    int *rows = allocate((size_t)n, sizeof *rows);
    double *part = allocate(2 * size, sizeof *part), *inverse = part + size;
    choose_rows(l, b, first, n, rows);
    for (int i = 0; i < n; i++)
        memcpy(part + i * n, b->w + rows[i] * b->cols + first,
               (size_t)n * sizeof *part);
    Svd s = svd_of(part, n, n);
    double condition = s.s[n - 1] > 0 ? s.s[0] / s.s[n - 1] : INFINITY;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int c = 0; c < n; c++)
                inverse[i * n + c] += s.v[i * n + k] / s.s[k] * s.u[c * n + k];
    if (isfinite(condition)) {
        multiply_columns(l, b, first, inverse, n, false, true);
        for (int i = 0; i < n; i++)
            for (int c = 0; c < n; c++)
                b->w[rows[i] * b->cols + first + c] = i == c;
        for (int head = group * count; head < (group + 1) * count; head++)
            multiply_columns(l, a, head * a->width + from, part, n, true,
                             left == QUERY);
    }
    free(s.u);
    free(part);
    free(rows);
    return condition;
}

/* The same for each rotated pair of columns of a group's keys. A rotation is a
   factor e^it of the pair as one complex number, so only such factors pass it:
   q conj(k) stays if k is divided by z, and q multiplied by conj(z). */
static void
slim_pairs(Heads *l, int group)
{
    Projection *q = &l->of[QUERY], *k = &l->of[KEY];
    int count = q->cols / k->cols, d = l->model->d_model;
    for (int at = 0; at < l->model->rope; at += 2) {
        double *key = k->w + group * k->width + at;
        double complex z = 0;
        int row = 0;
        for (int i = 0; i < d; i++) {
            double complex other = key[i * k->cols] + I * key[i * k->cols + 1];
            row = cabs(other) > cabs(z) ? i : row;
            z = cabs(other) > cabs(z) ? other : z;
        }
        double re = creal(z), im = cimag(z), size = re * re + im * im;
        double by[4] = {re / size, -im / size, im / size, re / size};
        double back[4] = {re, -im, im, re};
        if (size == 0)
            continue;
        multiply_columns(l, k, group * k->width + at, by, 2, false, true);
        key[row * k->cols] = 1;
        key[row * k->cols + 1] = 0;
        for (int head = group * count; head < (group + 1) * count; head++)
            multiply_columns(l, q, head * q->width + at, back, 2, false, true);
    }
}

/* Biases that do nothing: of keys, unless they are rotated; and of values,
   which that of the output gets, as the weights of a row sum to 1. */
static void
slim_biases(Heads *l)
{
    const Published *m = l->model;
    Projection *k = &l->of[KEY], *v = &l->of[VALUE], *o = &l->of[OUTPUT];
    int count = o->cols / v->cols;
    for (int c = 0; k->b && c < k->cols; c++)
        k->b[c] = c % k->width < m->rope ? k->b[c] : 0;
    if (!v->b || !o->b || m->family->has & SINKS)
        return;
    for (int row = 0; row < m->d_model; row++)
        for (int c = 0; c < o->cols; c++)
            o->b[row] += o->w[row * o->cols + c] *
                         v->b[c / o->width / count * v->width + c % o->width];
    memset(v->b, 0, (size_t)v->cols * sizeof *v->b);
}

double
heads_slim(Heads *l)
{
    const Published *m = l->model;
    double worst = 1;
    for (int g = 0; g < m->groups; g++) {
        bool free_keys = !(m->family->has & (HEAD_NORM | FULL_NORM));
        if (free_keys && m->rope < m->d_k)
            worst = fmax(worst, slim_columns(l, QUERY, KEY, g, m->rope,
                                             m->d_k - m->rope));
        if (free_keys)
            slim_pairs(l, g);
        worst = fmax(worst, slim_columns(l, OUTPUT, VALUE, g, 0, m->d_v));
    }
    slim_biases(l);
    return worst;
}

/* Numbers as a leaf of the tape; *memory is what it has, to be freed. */
static Node *
as_leaf(Tape *t, const double *from, int rows, int cols, real **memory)
{
    size_t count = (size_t)rows * (size_t)cols;
    *memory = allocate(count, sizeof **memory);
    for (size_t i = 0; i < count; i++)
        (*memory)[i] = (real)from[i];
    return leaf(t, rows, cols, 1, *memory, NULL);
}

/* q, k or v of the tokens: with its bias, its norm and its rotation. */
static Node *
projected(const Heads *l, int i, Attention *a, Node *x, real *memory[2])
{
    const Published *m = l->model;
    const Projection *p = &l->of[i];
    int heads = p->cols / p->width, has = m->family->has, r = m->rope;
    Node *n = matmul(x, as_leaf(a->tape, p->w, m->d_model, p->cols, memory));
    if (p->b)
        n = add(n, as_leaf(a->tape, p->b, 1, p->cols, memory + 1));
    if (i != VALUE && has & FULL_NORM)
        n = rms_norm(n, 1e-6);
    n = split(n, heads);
    if (i != VALUE && has & HEAD_NORM)
        n = rms_norm(n, 1e-6);
    if (i == VALUE || !r)
        return n;
    Node *rotated = rotate(a, columns(n, 0, r), 10000);
    return r == p->width
               ? rotated
               : concat((Node *[]){rotated, columns(n, r, p->width - r)}, 2);
}

real *
heads_output(const Heads *l)
{
    const Published *m = l->model;
    const Projection *o = &l->of[OUTPUT];
    int size = RANDOM_TOKENS * m->d_model;
    real *memory[4][2] = {{NULL}};
    real *tokens = allocate((size_t)size, sizeof *tokens);
    real *out = allocate((size_t)size, sizeof *out);
    Random random = random_stream(1, "open");
    Tape *t = tape_new(0);
    Attention a = {.d_model = m->d_model,
                   .heads = m->heads,
                   .kv_heads = m->groups,
                   .d_k = m->d_k,
                   .d_v = m->d_v,
                   .tape = t};
    for (int i = 0; i < size; i++)
        tokens[i] = (real)random_normal(&random);
    Node *x = leaf(t, RANDOM_TOKENS, m->d_model, 1, tokens, NULL), *part[3];
    for (int i = 0; i < 3; i++)
        part[i] = projected(l, i, &a, x, memory[i]);
    Node *n = attend(&a, part[0], part[1], part[2], 1 / sqrt(m->d_k));
    n = matmul_t(n, as_leaf(t, o->w, m->d_model, o->cols, memory[OUTPUT]));
    if (o->b)
        n = add(n, as_leaf(t, o->b, 1, m->d_model, memory[OUTPUT] + 1));
    memcpy(out, n->value, (size_t)size * sizeof *out);
    for (int i = 0; i < 8; i++)
        free(memory[i / 2][i % 2]);
    tape_free(t);
    free(tokens);
    return out;
}
