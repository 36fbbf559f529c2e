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

#include <qkv/attend.h>

#include "algebra/canonical.h"
#include "algebra/svd.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "models/slim.h"

/* n columns of a head's map, from `first` on, times a' (n x n). */
static void
multiply_columns(double *map, int rows, int width, int first, const double *a,
                 int n)
{
    double *row = allocate((size_t)n, sizeof *row);
    for (double *at = map + first; at < map + rows * width; at += width) {
        product_of(row, at, a, 1, n, n, true);
        memcpy(at, row, (size_t)n * sizeof *row);
    }
    free(row);
}

/* Makes n rows of those columns of `shared` the identity, or of a rotated pair
   one row 1, and the heads of `left` that share them what they must be. The
   rows are chosen one by one, each the farthest from the span of those before
   it. Returns their condition. */
static double
slim_columns(const Heads *l, int left, int shared, int group, int from, int n)
{
    const Published *p = l->model;
    int d = p->d_model, width = l->of[shared].width, size = n * n;
    int count = p->heads / p->groups, first = group * count;
    bool rotated = shared == KEY && from < p->rope;
    double *map = head_map(l, shared, first);
    int *rows = allocate((size_t)n, sizeof *rows);
    double *part = allocate((size_t)(3 * size + d * n), sizeof *part);
    double *inverse = part + size, *rest = inverse + 2 * size;
    for (int i = 0; i < d * n; i++)
        rest[i] = map[i / n * width + from + i % n];
    row_basis(rest, d, n, inverse + size, rows);
    for (int i = 0; i < size; i++)
        part[i] = map[rows[i / n] * width + from + i % n];
    if (rotated) {
        part[2] = -part[1];
        part[3] = part[0];
    }
    Svd s = svd_of(part, n, n);
    double condition = s.s[n - 1] > 0 ? s.s[0] / s.s[n - 1] : INFINITY;
    free(s.u);
    pseudo_inverse(part, n, n, inverse);
    multiply_columns(map, d + 1, width, from, inverse, n);
    for (int i = 0; i < (rotated ? n : size); i++)
        map[rows[i / n] * width + from + i % n] = i / n == i % n;
    for (int head = first; head < first + count; head++)
        multiply_columns(head_map(l, left, head), d + 1, width, from, part, n);
    free(part);
    free(rows);
    return condition;
}

/* Biases that do nothing: of keys, unless they are rotated; and of values,
   which that of the output gets, as the weights of a row sum to 1. */
static void
slim_biases(const Heads *l)
{
    const Published *p = l->model;
    int d = p->d_model, v = p->d_v;
    bool moves = l->of[OUTPUT].bias && !published_has(p, "sinks");
    for (int head = 0; moves && head < p->heads; head++) {
        const double *value = head_map(l, VALUE, head) + d * v;
        const double *output = head_map(l, OUTPUT, head);
        for (int i = 0; i < d * v; i++)
            l->constant[i / v] += output[i] * value[i % v];
    }
    for (int col = 0; moves && col < p->groups * v; col++)
        *entry_of(l, VALUE, d, col) = 0;
    for (int col = 0; col < p->groups * p->d_k; col++)
        if (col % p->d_k >= p->rope)
            *entry_of(l, KEY, d, col) = 0;
}

double
heads_slim(const Heads *l)
{
    const Published *p = l->model;
    bool norm = published_has(p, "head-norm") || published_has(p, "full-norm");
    double worst = 1;
    for (int g = 0; g < p->groups; g++) {
        for (int at = norm ? p->d_k : 0, n; at < p->d_k; at += n) {
            n = at < p->rope ? 2 : p->d_k - at;
            worst = fmax(worst, slim_columns(l, QUERY, KEY, g, at, n));
        }
        worst = fmax(worst, slim_columns(l, OUTPUT, VALUE, g, 0, p->d_v));
    }
    slim_biases(l);
    return worst;
}

/* A matrix of doubles on a tape, which owns the copy. */
static Node *
leaf_of(Tape *t, int rows, int cols, const double *w)
{
    Node *n = leaf(t, rows, cols, 1, NULL, NULL);
    n->value = keep(n, size_of(n));
    for (size_t i = 0; i < size_of(n); i++)
        n->value[i] = (real)w[i];
    return n;
}

/* q, k or v of a head for tokens x (tokens x d_model + 1) that end in a 1. */
static Node *
projected(Attention *a, const Heads *l, int map, int head, Node *x)
{
    int width = l->of[map].width, rope = map == VALUE ? 0 : l->model->rope;
    double *w = head_map(l, map, head);
    Node *n = matmul(x, leaf_of(a->tape, l->model->d_model + 1, width, w));
    if (!rope)
        return n;
    Node *turned = rotate(a, columns(n, 0, rope), 10000);
    return rope == width
               ? turned
               : concat((Node *[]){turned, columns(n, rope, width - rope)}, 2);
}

/* What attention makes of random tokens of about length 1. */
static Node *
output_of(const Heads *l, Tape *t)
{
    enum { TOKENS = 16 };
    const Published *p = l->model;
    int d = p->d_model;
    Attention a = {.d_model = d, .heads = 1, .tape = t};
    Random random = random_stream(1, "open");
    double *tokens = allocate((size_t)(TOKENS * (d + 1)), sizeof *tokens);
    for (int i = 0; i < TOKENS * (d + 1); i++)
        tokens[i] = i % (d + 1) == d ? 1 : random_normal(&random) / sqrt(d);
    Node *x = leaf_of(t, TOKENS, d + 1, tokens);
    free(tokens);
    Node *out = leaf_of(t, 1, d, l->constant);
    for (int head = 0; head < p->heads; head++) {
        Node *q = projected(&a, l, QUERY, head, x);
        Node *k = projected(&a, l, KEY, head, x);
        Node *v = projected(&a, l, VALUE, head, x);
        Node *o = leaf_of(t, d, p->d_v, head_map(l, OUTPUT, head));
        out = add(matmul_t(attend(&a, q, k, v, 1 / sqrt(p->d_k)), o), out);
    }
    return out;
}

double
heads_apart(const Heads *a, const Heads *b)
{
    Tape *t = tape_new(0);
    Difference apart = {0};
    const Node *of_a = output_of(a, t), *of_b = output_of(b, t);
    for (size_t i = 0; i < size_of(of_a); i++)
        compare_entries(&apart, (double)of_b->value[i], (double)of_a->value[i]);
    tape_free(t);
    return relative_difference(apart);
}
