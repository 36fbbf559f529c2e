/* heads.c - the heads of a matrix, and operators that treat the columns of each
   head alike: parts of them, their norm, and heads mixed.

   Each operator is three functions, as in operators.c. */
#include <string.h>

#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/label.h"
#include "heart/matrix.h"
#include "heart/numbers.h"
#include "heart/positions.h"
#include "heart/rows.h"
#include "heart/tape.h"

Matrix
head_of(const Node *n, real *at, int s, int h)
{
    int tokens = n->rows / n->sequences, width = n->cols / n->heads;
    ptrdiff_t sequence = (ptrdiff_t)tokens * n->cols;
    Matrix m = matrix(at + s * sequence + (ptrdiff_t)h * width, tokens, width,
                      n->cols);
    m.step = sequence;
    return m;
}

void
check_heads(const char *name, const Node *q, const Node *k)
{
    if (q->heads % k->heads || q->sequences != k->sequences)
        bug("%s: queries of %d heads in %d sequences, keys or values of %d in "
            "%d do not fit; split gives a matrix its heads",
            name, q->heads, q->sequences, k->heads, k->sequences);
}

void
check_scores(const char *name, const Node *q, const Node *k)
{
    check_heads(name, q, k);
    if (q->cols / q->heads != k->cols / k->heads)
        bug("%s: queries (%d x %d) of %d heads and keys (%d x %d) of %d heads "
            "differ in width per head",
            name, q->rows, q->cols, q->heads, k->rows, k->cols, k->heads);
}

void
check_mask(const char *name, const Attention *a, const Node *q, int keys)
{
    int tokens = q->rows / q->sequences + earlier_rows(q);
    if (a->causal && tokens != keys)
        bug("%s: a causal mask needs as many keys as queries, not %d and %d",
            name, keys, tokens);
}

/* Row `row` of head `head` of a matrix at `at` with n's shape; one head serves
   all. */
static real *
row_of(const Node *n, real *at, int row, int head)
{
    int width = n->cols / n->heads;
    return at + (size_t)row * n->cols + (n->heads == 1 ? 0 : head * width);
}

/* C_i = A_i[:, from : from + count] */
static void
columns_forward(Node *c)
{
    Node *a = c->in[0];
    const int *from = c->arguments;
    int count = c->cols / c->heads;
    real *to = c->value;
    for (int i = 0; i < c->rows; i++)
        for (int h = 0; h < c->heads; h++, to += count)
            memcpy(to, row_of(a, a->value, i, h) + *from,
                   (size_t)count * sizeof(real));
}

/* dA_i[:, from : from + count] += dC_i */
static void
columns_backward(Node *c)
{
    Node *a = c->in[0];
    const int *from = c->arguments;
    int count = c->cols / c->heads;
    real *d = gradient(a);
    const real *dc = c->gradient;
    for (int i = 0; i < c->rows; i++)
        for (int h = 0; h < c->heads; h++, dc += count)
            for (int j = 0; j < count; j++)
                row_of(a, d, i, h)[*from + j] += dc[j];
}

Node *
columns(Node *a, int from, int count)
{
    static const Operator op = {"columns", columns_forward, columns_backward};
    if (from < 0 || count < 1 || count > a->cols / a->heads - from)
        bug("columns: %s has no columns %d to %d in each of its heads, %d",
            label(a).text, from, from + count - 1, a->heads);
    Node *c = new_node(&op, a->rows, a->heads * count, &a, 1);
    c->heads = a->heads;
    keep_arguments(c, &from, sizeof from);
    return compute(c);
}

/* C_i = [A_1i A_2i ...] */
static void
concat_forward(Node *c)
{
    real *to = c->value;
    for (int i = 0; i < c->rows; i++)
        for (int h = 0; h < c->heads; h++)
            for (int k = 0; k < c->inputs; k++) {
                Node *a = c->in[k];
                int width = a->cols / a->heads;
                memcpy(to, row_of(a, a->value, i, h),
                       (size_t)width * sizeof(real));
                to += width;
            }
}

/* dA_1, dA_2, ... += the columns of dC that they became */
static void
concat_backward(Node *c)
{
    const real *dc = c->gradient;
    for (int i = 0; i < c->rows; i++)
        for (int h = 0; h < c->heads; h++)
            for (int k = 0; k < c->inputs; k++) {
                Node *a = c->in[k];
                int width = a->cols / a->heads;
                real *d = a->trained ? row_of(a, gradient(a), i, h) : NULL;
                for (int j = 0; d && j < width; j++)
                    d[j] += dc[j];
                dc += width;
            }
}

Node *
concat(Node *const *a, int count)
{
    static const Operator op = {"concat", concat_forward, concat_backward};
    int width = 0, heads = 1;
    for (int k = 0; k < count; k++) {
        heads = a[k]->heads > heads ? a[k]->heads : heads;
        width += a[k]->cols / a[k]->heads;
    }
    for (int k = 0; k < count; k++)
        if (a[k]->rows != a[0]->rows ||
            (a[k]->heads != 1 && a[k]->heads != heads))
            bug("concat: (%d x %d) of %d heads and (%d x %d) of %d do not fit",
                a[0]->rows, a[0]->cols, a[0]->heads, a[k]->rows, a[k]->cols,
                a[k]->heads);
    Node *c = new_node(&op, a[0]->rows, heads * width, a, count);
    c->heads = heads;
    return compute(c);
}

/* C_i = A_i / rms, and 1 / rms is kept, of each token of each head */
static void
rms_norm_forward(Node *c)
{
    const double *eps = c->arguments;
    int width = c->cols / c->heads, rows = c->rows * c->heads;
    const real *x = c->in[0]->value;
    real *y = c->value;
    for (int i = 0; i < rows; i++, x += width, y += width) {
        real inverse =
            1 / SQRT(row_dot(x, x, width) / (real)width + (real)*eps);
        c->kept[i] = inverse;
        for (int j = 0; j < width; j++)
            y[j] = x[j] * inverse;
    }
}

/* dA_i += (dC_i - C_i mean(dC_i . C_i)) / rms, each token of each head */
static void
rms_norm_backward(Node *c)
{
    Node *a = c->in[0];
    int width = c->cols / c->heads, rows = c->rows * c->heads;
    real *d = gradient(a), *inverse = c->kept;
    const real *y = c->value, *dc = c->gradient;
    for (int i = 0; i < rows; i++, d += width, y += width, dc += width) {
        real along = row_dot(dc, y, width) / (real)width;
        for (int j = 0; j < width; j++)
            d[j] += (dc[j] - y[j] * along) * inverse[i];
    }
}

Node *
rms_norm(Node *a, double eps)
{
    static const Operator op = {"rms_norm", rms_norm_forward,
                                rms_norm_backward};
    Node *c = new_node(&op, a->rows, a->cols, &a, 1);
    c->heads = a->heads;
    c->kept = keep(c, (size_t)a->rows * (size_t)a->heads);
    keep_arguments(c, &eps, sizeof eps);
    return compute(c);
}

/* Row i of a matrix at `at` with n's shape, as (heads x columns of a head). */
static Matrix
heads_by_columns(const Node *n, real *at, int i)
{
    int width = n->cols / n->heads;
    return matrix(at + (size_t)i * n->cols, n->heads, width, width);
}

/* Has p a mixing of its own for each row of s? */
static bool
by_row(const Node *s, const Node *p)
{
    return p->rows == s->rows && p->heads == s->heads;
}

/* The matrix at `at`, p's value or gradient, that mixes row i. */
static Matrix
mixing(const Node *s, const Node *p, real *at, int i)
{
    return by_row(s, p) ? heads_by_columns(p, at, i)
                        : matrix(at, p->rows, p->cols, p->cols);
}

/* With each row a matrix, a head a row of it, C = P' S. */
static void
mix_heads_forward(Node *c)
{
    Node *s = c->in[0], *p = c->in[1];
    for (int i = 0; i < c->rows; i++)
        multiply(heads_by_columns(c, c->value, i),
                 transposed(mixing(s, p, p->value, i)),
                 heads_by_columns(s, s->value, i));
}

/* dS += P dC,  dP += S dC' */
static void
mix_heads_backward(Node *c)
{
    Node *s = c->in[0], *p = c->in[1];
    for (int i = 0; i < c->rows; i++) {
        Matrix dc = heads_by_columns(c, c->gradient, i);
        if (s->trained)
            multiply_add(heads_by_columns(s, gradient(s), i),
                         mixing(s, p, p->value, i), dc);
        if (p->trained)
            multiply_add(mixing(s, p, gradient(p), i),
                         heads_by_columns(s, s->value, i), transposed(dc));
    }
}

Node *
mix_heads(Node *s, Node *p)
{
    static const Operator op = {"mix_heads", mix_heads_forward,
                                mix_heads_backward};
    if (p->rows != s->heads && !by_row(s, p))
        bug("mix_heads: %s of %d heads and %s of %d do not fit: it has a row "
            "for each head, or for each token, split into as many heads",
            label(s).text, s->heads, label(p).text, p->heads);
    int heads = by_row(s, p) ? p->cols / p->heads : p->cols;
    Node *c = new_node(&op, s->rows, heads * (s->cols / s->heads),
                       (Node *[]){s, p}, 2);
    c->heads = heads;
    return compute(c);
}
