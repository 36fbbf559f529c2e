/* operator.c - the linear and elementwise operators, each with its derivative.

   The comment at a `_backward` is the derivative: dX stands for the gradient of
   the loss by X, C for the operator's result, and `+=` because a matrix that is
   used twice gets two contributions. */
#include <string.h>

#include <qkv/operator.h>

#include "base/fail.h"
#include "base/threads.h"
#include "math/elementary.h"
#include "math/matrix.h"
#include "math/rows.h"
#include "tape/layers.h"
#include "tape/tape.h"

/* How many entries of the result are to be computed: none on a measuring tape.
 */
static size_t
wanted(const Node *c)
{
    return c->value ? size_of(c) : 0;
}

/* A new node of A's shape and heads, from A and perhaps a B of that shape. */
static Node *
elementwise(const char *name, void (*backward)(Node *self), Node *a, Node *b)
{
    if (b && (a->rows != b->rows || a->cols != b->cols))
        bug("%s: (%d x %d) and (%d x %d) do not fit", name, a->rows, a->cols,
            b->rows, b->cols);
    Node *c = new_node(a->rows, a->cols, backward, (Node *[]){a, b}, b ? 2 : 1);
    c->heads = a->heads;
    return c;
}

static Matrix
value_of(const Node *n)
{
    return matrix(n->value, n->rows, n->cols, n->cols);
}

/* What C = A B costs, and as much in its backward pass for each trained
 * operand.
 */
static void
price(Node *c, int inner)
{
    c->flops[0] = 2. * c->rows * c->cols * inner;
    c->flops[1] = c->flops[0] * (c->in[0]->trained + c->in[1]->trained);
}

/* Rows of `b` that are tokens of several sequences may not be summed over. */
static void
check_product(const char *name, const Node *a, const Node *b, int a_cols,
              int b_side)
{
    if (a_cols != b_side)
        bug("%s: (%d x %d) and (%d x %d) do not fit", name, a->rows, a->cols,
            b->rows, b->cols);
    if (b->sequences != 1)
        bug("%s: the right operand (%d x %d) holds the tokens of %d sequences, "
            "which a product would mix; use scores, apply_weights or attend",
            name, b->rows, b->cols, b->sequences);
}

/* dA += dC B',  dB += A' dC */
static void
matmul_backward(Node *c)
{
    Node *a = c->in[0], *b = c->in[1];
    Matrix dc = matrix(c->gradient, c->rows, c->cols, c->cols);
    if (a->trained)
        add_product(a, dc, transposed(value_of(b)));
    if (b->trained)
        add_product(b, transposed(value_of(a)), dc);
}

Node *
matmul(Node *a, Node *b)
{
    check_product("matmul", a, b, a->cols, b->rows);
    Node *c = new_node(a->rows, b->cols, matmul_backward, (Node *[]){a, b}, 2);
    price(c, a->cols);
    if (c->value)
        multiply(value_of(c), value_of(a), value_of(b));
    return c;
}

bool
is_product(const Node *n)
{
    return n->backward == matmul_backward;
}

/* dA += dC B,  dB += dC' A */
static void
matmul_t_backward(Node *c)
{
    Node *a = c->in[0], *b = c->in[1];
    Matrix dc = matrix(c->gradient, c->rows, c->cols, c->cols);
    if (a->trained)
        add_product(a, dc, value_of(b));
    if (b->trained)
        add_product(b, transposed(dc), value_of(a));
}

Node *
matmul_t(Node *a, Node *b)
{
    check_product("matmul_t", a, b, a->cols, b->cols);
    Node *c =
        new_node(a->rows, b->rows, matmul_t_backward, (Node *[]){a, b}, 2);
    price(c, a->cols);
    if (c->value)
        multiply(value_of(c), value_of(a), transposed(value_of(b)));
    return c;
}

/* dA += dC,  dB += dC */
static void
add_backward(Node *c)
{
    Node *a = c->in[0], *b = c->in[1];
    if (a->trained && b->trained)
        add_gradient(b, c->gradient);
    pass_gradient(c, a->trained ? a : b);
}

Node *
add(Node *a, Node *b)
{
    Node *c = elementwise("add", add_backward, a, b);
    for (size_t i = 0, n = wanted(c); i < n; i++)
        c->value[i] = a->value[i] + b->value[i];
    return c;
}

/* dA += factor dC */
static void
scale_backward(Node *c)
{
    const double *factor = c->arguments;
    real *d = gradient(c->in[0]), f = (real)*factor;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        d[i] += f * c->gradient[i];
}

Node *
scale(Node *a, double factor)
{
    Node *c = elementwise("scale", scale_backward, a, NULL);
    keep_arguments(c, &factor, sizeof factor);
    for (size_t i = 0, n = wanted(c); i < n; i++)
        c->value[i] = (real)factor * a->value[i];
    return c;
}

/* dA += dC B,  dB += dC A, elementwise */
static void
hadamard_backward(Node *c)
{
    Node *a = c->in[0], *b = c->in[1];
    real *da = a->trained ? gradient(a) : NULL;
    real *db = b->trained ? gradient(b) : NULL;
    for (size_t i = 0, n = size_of(c); da && i < n; i++)
        da[i] += c->gradient[i] * b->value[i];
    for (size_t i = 0, n = size_of(c); db && i < n; i++)
        db[i] += c->gradient[i] * a->value[i];
}

Node *
hadamard(Node *a, Node *b)
{
    Node *c = elementwise("hadamard", hadamard_backward, a, b);
    for (size_t i = 0, n = wanted(c); i < n; i++)
        c->value[i] = a->value[i] * b->value[i];
    return c;
}

/* C = f(A), entry by entry, LANES at a time. */
static inline __attribute__((always_inline)) void
each_entry(Node *c, Widest f(Widest))
{
    const real *a = c->in[0]->value;
    for (long i = 0, n = (long)wanted(c); i < n; i += LANES) {
        Widest x[PARTS];
        load(x, a + i, n - i);
        EACH_PART x[p] = f(x[p]);
        store(c->value + i, x, n - i);
    }
}

/* dA += dC (1 - C^2), elementwise */
static void
tanh_backward(Node *c)
{
    real *d = gradient(c->in[0]);
    for (size_t i = 0, n = size_of(c); i < n; i++)
        d[i] += c->gradient[i] * (1 - c->value[i] * c->value[i]);
}

Node *
tanh_of(Node *a)
{
    Node *c = elementwise("tanh_of", tanh_backward, a, NULL);
    each_entry(c, hyperbolic_tangent);
    return c;
}

/* dA += dC C (1 - C), elementwise */
static void
sigmoid_backward(Node *c)
{
    real *d = gradient(c->in[0]);
    for (size_t i = 0, n = size_of(c); i < n; i++)
        d[i] += c->gradient[i] * c->value[i] * (1 - c->value[i]);
}

static inline Widest
logistic(Widest x)
{
    return (1 + hyperbolic_tangent(x / 2)) / 2;
}

Node *
sigmoid(Node *a)
{
    Node *c = elementwise("sigmoid", sigmoid_backward, a, NULL);
    each_entry(c, logistic);
    return c;
}

/* dA += dC where A > 0 */
static void
relu_backward(Node *c)
{
    real *d = gradient(c->in[0]);
    for (size_t i = 0, n = size_of(c); i < n; i++) {
        real dc = c->gradient[i]; /* read either way: so vectors can */
        d[i] += c->value[i] > 0 ? dc : 0;
    }
}

Node *
relu(Node *a)
{
    Node *c = elementwise("relu", relu_backward, a, NULL);
    for (size_t i = 0, n = wanted(c); i < n; i++)
        c->value[i] = a->value[i] > 0 ? a->value[i] : 0;
    return c;
}

/* GELU(x) = x/2 (1 + t) with t = tanh(u) and u = sqrt(2/pi) (x + b x^3), the
   form of Hendrycks and Gimpel 2016 that GPT-2 uses. */
#define GELU_A ((real)0.79788456080286535588)
#define GELU_B ((real)0.044715)

/* dA += dC ((1 + t) / 2 + x/2 (1 - t^2) du/dx) */
static void
gelu_chunk_backward(void *node, int chunk, int worker)
{
    (void)worker;
    Node *c = node;
    const real *restrict x = c->in[0]->value, *restrict t = c->kept;
    const real *restrict dc = c->gradient;
    real *restrict d = c->in[0]->root->gradient;
    long n = (long)size_of(c);
    int chunks = threads_count();
    long end = chunk_begin(n, chunk + 1, chunks);
    for (long i = chunk_begin(n, chunk, chunks); i < end; i++) {
        real du = GELU_A * (1 + 3 * GELU_B * x[i] * x[i]);
        real slope = 1 + t[i] + x[i] * (1 - t[i] * t[i]) * du;
        d[i] += dc[i] * slope / 2;
    }
}

static void
gelu_backward(Node *c)
{
    gradient(c->in[0]); /* zeroed before many add to it */
    parallel_for(threads_count(), gelu_chunk_backward, c);
}

static void
gelu_chunk(void *node, int chunk, int worker)
{
    (void)worker;
    Node *c = node;
    long n = (long)size_of(c);
    int chunks = threads_count();
    long end = chunk_begin(n, chunk + 1, chunks);
    for (long i = chunk_begin(n, chunk, chunks); i < end; i += LANES) {
        Widest x[PARTS], t[PARTS];
        load(x, c->in[0]->value + i, end - i);
        EACH_PART t[p] = GELU_A * (x[p] + GELU_B * x[p] * x[p] * x[p]);
        EACH_PART t[p] = hyperbolic_tangent(t[p]);
        EACH_PART x[p] = x[p] / 2 * (1 + t[p]);
        store(c->kept + i, t, end - i);
        store(c->value + i, x, end - i);
    }
}

Node *
gelu(Node *a)
{
    Node *c = elementwise("gelu", gelu_backward, a, NULL);
    c->kept = keep(c, size_of(c));
    if (c->value)
        parallel_for(threads_count(), gelu_chunk, c);
    return c;
}

Node *
cached(Node *a)
{
    a->root->kept_by_decoder = true;
    return a;
}

Node *
split(Node *a, int heads)
{
    if (heads < 1 || a->cols % heads)
        bug("split: (%d x %d) does not divide into %d heads", a->rows, a->cols,
            heads);
    Node *c = view(a);
    c->heads = heads;
    return c;
}

/* dA[:, from : from + cols] += dC */
static void
columns_backward(Node *c)
{
    Node *a = c->in[0];
    const int *from = c->arguments;
    real *d = gradient(a) + *from;
    const real *dc = c->gradient;
    for (int i = 0; i < c->rows; i++, d += a->cols, dc += c->cols)
        for (int j = 0; j < c->cols; j++)
            d[j] += dc[j];
}

Node *
columns(Node *a, int from, int count)
{
    if (from < 0 || count < 1 || count > a->cols - from)
        bug("columns: (%d x %d) has no columns %d to %d", a->rows, a->cols,
            from, from + count - 1);
    Node *c = new_node(a->rows, count, columns_backward, &a, 1);
    keep_arguments(c, &from, sizeof from);
    for (int i = 0; c->value && i < c->rows; i++)
        memcpy(c->value + (size_t)i * (size_t)count,
               a->value + (size_t)i * (size_t)a->cols + from,
               (size_t)count * sizeof(real));
    return c;
}

/* dA_1, dA_2, ... += the columns of dC that they became */
static void
concat_backward(Node *c)
{
    for (int k = 0, from = 0; k < c->inputs; from += c->in[k++]->cols) {
        Node *a = c->in[k];
        if (!a->trained)
            continue;
        real *d = gradient(a);
        const real *dc = c->gradient + from;
        for (int i = 0; i < c->rows; i++, d += a->cols, dc += c->cols)
            for (int j = 0; j < a->cols; j++)
                d[j] += dc[j];
    }
}

Node *
concat(Node *const *a, int count)
{
    int cols = 0;
    for (int k = 0; k < count; k++) {
        if (a[k]->rows != a[0]->rows)
            bug("concat: (%d x %d) and (%d x %d) do not fit", a[0]->rows,
                a[0]->cols, a[k]->rows, a[k]->cols);
        cols += a[k]->cols;
    }
    Node *c = new_node(a[0]->rows, cols, concat_backward, a, count);
    real *to = c->value;
    for (int i = 0; to && i < c->rows; i++)
        for (int k = 0; k < count; to += a[k++]->cols)
            memcpy(to, a[k]->value + (size_t)i * (size_t)a[k]->cols,
                   (size_t)a[k]->cols * sizeof(real));
    return c;
}
