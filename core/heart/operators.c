/* operators.c - the linear and elementwise operators, each with its derivative.

   An operator is three functions: `_forward` computes C, its node's value;
   `_backward` is the derivative; and the last one makes the node. In the
   comment at a `_backward`, dX stands for the gradient of the loss by X, and
   `+=` is there because a matrix that is used twice gets two contributions. */

#include <qkv/operator.h>

#include "heart/fail.h"
#include "heart/label.h"
#include "heart/matrix.h"
#include "heart/operators.h"
#include "heart/positions.h"
#include "heart/rows.h"
#include "heart/tape.h"
#include "heart/threads.h"

/* A new node of A's shape and heads, from A and perhaps a B of that shape. */
static Node *
elementwise(const Operator *op, Node *a, Node *b)
{
    Node *c = new_node(op, a->rows, a->cols, (Node *[]){a, b}, b ? 2 : 1);
    c->heads = a->heads;
    return c;
}

static Matrix
value_of(const Node *n)
{
    return matrix(n->value, n->rows, n->cols, n->cols);
}

/* Rows of `b` that are tokens of several sequences may not be summed over. */
static void
check_product(const char *name, const Node *a, const Node *b, int a_cols,
              int b_side)
{
    if (a_cols != b_side)
        bug("%s: %s and %s do not fit", name, label(a).text, label(b).text);
    if (b->sequences != 1)
        bug("%s: the right operand %s holds the tokens of %d sequences, which "
            "a product would mix; use scores, apply_weights or attend",
            name, label(b).text, b->sequences);
}

/* C = A B */
static void
matmul_forward(Node *c)
{
    multiply(value_of(c), value_of(c->in[0]), value_of(c->in[1]));
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

static const Operator product = {"matmul", matmul_forward, matmul_backward};

Node *
matmul(Node *a, Node *b)
{
    check_product("matmul", a, b, a->cols, b->rows);
    return compute(new_node(&product, a->rows, b->cols, (Node *[]){a, b}, 2));
}

bool
is_product(const Node *n)
{
    return n->op == &product;
}

/* C = A B' */
static void
matmul_t_forward(Node *c)
{
    multiply(value_of(c), value_of(c->in[0]), transposed(value_of(c->in[1])));
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
    static const Operator op = {"matmul_t", matmul_t_forward,
                                matmul_t_backward};
    check_product("matmul_t", a, b, a->cols, b->cols);
    return compute(new_node(&op, a->rows, b->rows, (Node *[]){a, b}, 2));
}

/* How far apart the entries of a B are along each axis of a matrix that it is
   repeated for: 0 where B is 1 long. */
typedef struct Strides {
    size_t row, head, column;
} Strides;

/* C: B, again and again */
static void
spread_forward(Node *c)
{
    const Strides *b = c->arguments;
    int width = c->cols / c->heads;
    real *to = c->value;
    for (size_t i = 0; i < (size_t)c->rows; i++)
        for (size_t h = 0; h < (size_t)c->heads; h++)
            for (size_t j = 0; j < (size_t)width; j++)
                *to++ =
                    c->in[0]->value[i * b->row + h * b->head + j * b->column];
}

/* dB += the entries of dC that repeat it */
static void
spread_backward(Node *c)
{
    const Strides *b = c->arguments;
    int width = c->cols / c->heads;
    real *d = gradient(c->in[0]);
    const real *dc = c->gradient;
    for (size_t i = 0; i < (size_t)c->rows; i++)
        for (size_t h = 0; h < (size_t)c->heads; h++)
            for (size_t j = 0; j < (size_t)width; j++)
                d[i * b->row + h * b->head + j * b->column] += *dc++;
}

/* B repeated along the axes in which it is 1 long, to A's shape and heads; B
   itself where it has that shape. */
static Node *
spread(const char *name, Node *a, Node *b)
{
    static const Operator op = {"spread", spread_forward, spread_backward};
    if (a->rows == b->rows && a->cols == b->cols)
        return b;
    int heads = a->cols == b->cols ? a->heads : b->heads;
    int width = a->cols / a->heads, b_width = b->cols / heads;
    if ((b->rows != 1 && b->rows != a->rows) ||
        (heads != 1 && heads != a->heads) || (b_width != 1 && b_width != width))
        bug("%s: %s and %s do not fit (heads: %d and %d): the second has as "
            "many rows, heads and columns in a head as the first, or 1%s",
            name, label(a).text, label(b).text, a->heads, b->heads,
            b->cols == a->heads ? "; a number for each head is split into "
                                  "heads, split(w, a->heads)"
                                : "");
    Node *c = new_node(&op, a->rows, a->cols, &b, 1);
    Strides s = {b->rows == 1 ? 0 : (size_t)b->cols,
                 heads == 1 ? 0 : (size_t)b_width, b_width > 1};
    c->sequences = a->sequences;
    c->heads = a->heads;
    keep_arguments(c, &s, sizeof s);
    return compute(c);
}

/* C = A + B */
static void
add_forward(Node *c)
{
    const real *a = c->in[0]->value, *b = c->in[1]->value;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->value[i] = a[i] + b[i];
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
    static const Operator op = {"add", add_forward, add_backward};
    return compute(elementwise(&op, a, spread("add", a, b)));
}

/* C = factor A */
static void
scale_forward(Node *c)
{
    const double *factor = c->arguments;
    const real *a = c->in[0]->value;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->value[i] = (real)*factor * a[i];
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
    static const Operator op = {"scale", scale_forward, scale_backward};
    Node *c = elementwise(&op, a, NULL);
    keep_arguments(c, &factor, sizeof factor);
    return compute(c);
}

/* C = A . B */
static void
hadamard_forward(Node *c)
{
    const real *a = c->in[0]->value, *b = c->in[1]->value;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->value[i] = a[i] * b[i];
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
    static const Operator op = {"hadamard", hadamard_forward,
                                hadamard_backward};
    return compute(elementwise(&op, a, spread("hadamard", a, b)));
}

/* C = tanh A */
static void
tanh_forward(Node *c)
{
    tanh_entries(c->value, c->in[0]->value, (long)size_of(c));
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
    static const Operator op = {"tanh_of", tanh_forward, tanh_backward};
    return compute(elementwise(&op, a, NULL));
}

/* C = 1 / (1 + e^-A) */
static void
sigmoid_forward(Node *c)
{
    sigmoid_entries(c->value, c->in[0]->value, (long)size_of(c));
}

/* dA += dC C (1 - C), elementwise */
static void
sigmoid_backward(Node *c)
{
    real *d = gradient(c->in[0]);
    for (size_t i = 0, n = size_of(c); i < n; i++)
        d[i] += c->gradient[i] * c->value[i] * (1 - c->value[i]);
}

Node *
sigmoid(Node *a)
{
    static const Operator op = {"sigmoid", sigmoid_forward, sigmoid_backward};
    return compute(elementwise(&op, a, NULL));
}

/* C = max(A, 0) */
static void
relu_forward(Node *c)
{
    const real *a = c->in[0]->value;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->value[i] = a[i] > 0 ? a[i] : 0;
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
    static const Operator op = {"relu", relu_forward, relu_backward};
    return compute(elementwise(&op, a, NULL));
}

/* C = f(A) */
static void
map_forward(Node *c)
{
    const Mapping *m = c->arguments;
    const real *a = c->in[0]->value;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->value[i] = (real)m->f((double)a[i]);
}

/* dA += dC f'(A), elementwise */
static void
map_backward(Node *c)
{
    const Mapping *m = c->arguments;
    const real *a = c->in[0]->value;
    real *d = gradient(c->in[0]);
    for (size_t i = 0, n = size_of(c); i < n; i++)
        d[i] += c->gradient[i] * (real)m->df((double)a[i]);
}

static const Operator mapping = {"map", map_forward, map_backward};

Node *
map(Node *a, double (*f)(double), double (*df)(double))
{
    Node *c = elementwise(&mapping, a, NULL);
    keep_arguments(c, &(Mapping){f, df}, sizeof(Mapping));
    return compute(c);
}

const Mapping *
mapping_of(const Node *n)
{
    return n->op == &mapping ? n->arguments : NULL;
}

/* GELU(x) = x/2 (1 + t) with t = tanh(u) and u = sqrt(2/pi) (x + b x^3), the
   form of Hendrycks and Gimpel 2016 that GPT-2 uses. */

static void
gelu_chunk(void *node, int chunk, int worker)
{
    (void)worker;
    Node *c = node;
    int chunks = threads_count();
    long n = (long)size_of(c), i = chunk_begin(n, chunk, chunks);
    long end = chunk_begin(n, chunk + 1, chunks);
    gelu_entries(c->value + i, c->kept + i, c->in[0]->value + i, end - i);
}

static void
gelu_forward(Node *c)
{
    parallel_for(threads_count(), gelu_chunk, c);
}

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

Node *
gelu(Node *a)
{
    static const Operator op = {"gelu", gelu_forward, gelu_backward};
    Node *c = elementwise(&op, a, NULL);
    c->kept = keep(c, size_of(c));
    return compute(c);
}

/* C: the rows of each sequence of A moved down, by so many entries */
static void
shift_forward(Node *c)
{
    const size_t *down = c->arguments;
    const real *a = c->in[0]->value;
    size_t sequence = size_of(c) / (size_t)c->sequences;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->value[i] = 0;
    for (size_t s = 0; s < size_of(c); s += sequence)
        for (size_t i = *down; i < sequence; i++)
            c->value[s + i] = a[s + i - *down];
}

/* dA += dC, the rows of each sequence moved back up */
static void
shift_backward(Node *c)
{
    const size_t *down = c->arguments;
    size_t sequence = size_of(c) / (size_t)c->sequences;
    real *d = gradient(c->in[0]);
    for (size_t s = 0; s < size_of(c); s += sequence)
        for (size_t i = *down; i < sequence; i++)
            d[s + i - *down] += c->gradient[s + i];
}

Node *
shift(Node *a, int by)
{
    static const Operator op = {"shift", shift_forward, shift_backward};
    if (by < 0)
        bug("shift: %s by %d: rows can only be moved down, which is towards "
            "later tokens",
            label(a).text, by);
    size_t down = (size_t)by * (size_t)a->cols;
    Node *c = elementwise(&op, a, NULL);
    keep_arguments(c, &down, sizeof down);
    return compute(c);
}

Node *
cached(Node *a)
{
    a->root->kept_by_decoder = true;
    return all_rows(a);
}

Node *
split(Node *a, int heads)
{
    if (heads < 1 || a->cols % heads)
        bug("split: %s does not divide into %d heads", label(a).text, heads);
    Node *c = view(a);
    c->heads = heads;
    return c;
}
