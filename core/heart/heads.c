/* heads.c - the heads of a matrix, and operators that treat the columns of each
   head alike: parts of them, their norm, and heads mixed.

   Each operator is three functions, as in operators.c. */
#include <string.h>

#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/matrix.h"
#include "heart/numbers.h"
#include "heart/operators.h"
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

Matrix
head_for(const Node *c, int h, const Node *n, real *at, int s)
{
    return head_of(n, at, s, h / (c->heads / n->heads));
}

/* to += from, in `count` columns of each head of n and m from the columns at
   which `to` and `from` point on. A single head serves all of the other's. */
static void
add_columns(int count, const Node *n, real *to, const Node *m, const real *from)
{
    int heads = n->heads > m->heads ? n->heads : m->heads;
    int n_next = n->heads == 1 ? 0 : n->cols / n->heads;
    int m_next = m->heads == 1 ? 0 : m->cols / m->heads;
    for (int i = 0; i < n->rows; i++, to += n->cols, from += m->cols)
        for (int h = 0; h < heads; h++)
            for (int j = 0; j < count; j++)
                to[h * n_next + j] += from[h * m_next + j];
}

/* C_i = A_i[:, from : from + count] */
static void
columns_forward(Node *c)
{
    const Node *a = c->in[0];
    const int *from = c->arguments;
    memset(c->value, 0, size_of(c) * sizeof(real));
    add_columns(c->cols / c->heads, c, c->value, a, a->value + *from);
}

/* dA_i[:, from : from + count] += dC_i */
static void
columns_backward(Node *c)
{
    Node *a = c->in[0];
    const int *from = c->arguments;
    add_columns(c->cols / c->heads, a, gradient(a) + *from, c, c->gradient);
}

Node *
columns(Node *a, int from, int count)
{
    static const Operator op = {"columns", columns_forward, columns_backward};
    if (from < 0 || count < 1 || count > a->cols / a->heads - from)
        bug("columns: %s has no columns %d to %d in each of its heads, %d",
            label(a).text, from, from + count - 1, a->heads);
    return make(&op, OF(a), (Made){.cols = a->heads * count, WITH(from)});
}

/* C_i = [A_1i A_2i ...] */
static void
concat_forward(Node *c)
{
    memset(c->value, 0, size_of(c) * sizeof(real));
    for (int k = 0, at = 0, count; k < c->inputs; k++, at += count) {
        const Node *a = c->in[k];
        count = a->cols / a->heads;
        add_columns(count, c, c->value + at, a, a->value);
    }
}

/* dA_1, dA_2, ... += the columns of dC that they became */
static void
concat_backward(Node *c)
{
    for (int k = 0, at = 0, count; k < c->inputs; k++, at += count) {
        Node *a = c->in[k];
        count = a->cols / a->heads;
        if (a->trained)
            add_columns(count, a, gradient(a), c, c->gradient + at);
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
            mismatch("concat", a[0], a[k], "all have as many rows and heads");
    return make(&op, a, count, (Made){.cols = heads * width, .heads = heads});
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
        real mean = row_dot(x, x, width) / (real)width;
        c->kept[i] = 1 / SQRT(mean + (real)*eps);
        for (int j = 0; j < width; j++)
            y[j] = x[j] * c->kept[i];
    }
}

/* dA_i += (dC_i - C_i mean(dC_i . C_i)) / rms, each token of each head */
static void
rms_norm_backward(Node *c)
{
    int width = c->cols / c->heads, rows = c->rows * c->heads;
    const real *y = c->value, *dc = c->gradient;
    real *d = gradient(c->in[0]);
    for (int i = 0; i < rows; i++, d += width, y += width, dc += width) {
        real along = row_dot(dc, y, width) / (real)width;
        for (int j = 0; j < width; j++)
            d[j] += (dc[j] - y[j] * along) * c->kept[i];
    }
}

Node *
rms_norm(Node *a, double eps)
{
    static const Operator op = {"rms_norm", rms_norm_forward,
                                rms_norm_backward};
    size_t keeps = (size_t)a->rows * (size_t)a->heads;
    return make(&op, OF(a), (Made){WITH(eps), .keeps = keeps});
}

/* Has P a mixing of its own for each row of S? */
static bool
by_row(const Node *s, const Node *p)
{
    return p->rows == s->rows && p->heads == s->heads;
}

/* Row i of a matrix at `at` with n's shape, as (heads x columns of a head). */
static Matrix
heads_by_columns(const Node *n, real *at, int i)
{
    int width = n->cols / n->heads;
    return matrix(at + i * n->cols, n->heads, width, width);
}

/* The matrix at `at`, P's value or gradient, that mixes row i. */
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

const Operator mix_heads_op = {"mix_heads", mix_heads_forward,
                               mix_heads_backward};

Node *
mix_heads(Node *s, Node *p)
{
    if (p->rows != s->heads && !by_row(s, p))
        mismatch("mix_heads", s, p,
                 "the second has a row for each head, or for each token, split "
                 "into as many heads");
    int heads = by_row(s, p) ? p->cols / p->heads : p->cols;
    return make(&mix_heads_op, OF(s, p),
                (Made){.cols = heads * (s->cols / s->heads), .heads = heads});
}
