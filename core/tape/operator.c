/* operator.c - the linear and elementwise operators, each with its derivative.

   The comment at a `_backward` is the derivative: dX stands for the gradient of
   the loss by X, C for the operator's result, and `+=` because a matrix that is
   used twice gets two contributions. */

#include <qkv/operator.h>

#include "base/fail.h"
#include "base/threads.h"
#include "math/elementary.h"
#include "math/matrix.h"
#include "math/rows.h"
#include "tape/cache.h"
#include "tape/difference.h"
#include "tape/label.h"
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
elementwise(void (*backward)(Node *self), Node *a, Node *b)
{
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
        bug("%s: %s and %s do not fit", name, label(a).text, label(b).text);
    if (b->sequences != 1)
        bug("%s: the right operand %s holds the tokens of %d sequences, which "
            "a product would mix; use scores, apply_weights or attend",
            name, label(b).text, b->sequences);
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

/* How far apart the entries of a B are along each axis of a matrix that it is
   repeated for: 0 where B is 1 long. */
typedef struct Strides {
    size_t row, head, column;
} Strides;

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
    Node *c = new_node(a->rows, a->cols, spread_backward, &b, 1);
    Strides s = {b->rows == 1 ? 0 : (size_t)b->cols,
                 heads == 1 ? 0 : (size_t)b_width, b_width > 1};
    c->sequences = a->sequences;
    c->heads = a->heads;
    keep_arguments(c, &s, sizeof s);
    real *to = c->value;
    for (size_t i = 0; to && i < (size_t)c->rows; i++)
        for (size_t h = 0; h < (size_t)c->heads; h++)
            for (size_t j = 0; j < (size_t)width; j++)
                *to++ = b->value[i * s.row + h * s.head + j * s.column];
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
    Node *c = elementwise(add_backward, a, spread("add", a, b));
    for (size_t i = 0, n = wanted(c); i < n; i++)
        c->value[i] = a->value[i] + c->in[1]->value[i];
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
    Node *c = elementwise(scale_backward, a, NULL);
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
    Node *c = elementwise(hadamard_backward, a, spread("hadamard", a, b));
    for (size_t i = 0, n = wanted(c); i < n; i++)
        c->value[i] = a->value[i] * c->in[1]->value[i];
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
    Node *c = elementwise(tanh_backward, a, NULL);
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
    Node *c = elementwise(sigmoid_backward, a, NULL);
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
    Node *c = elementwise(relu_backward, a, NULL);
    for (size_t i = 0, n = wanted(c); i < n; i++)
        c->value[i] = a->value[i] > 0 ? a->value[i] : 0;
    return c;
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

Node *
map(Node *a, double (*f)(double), double (*df)(double))
{
    Node *c = elementwise(map_backward, a, NULL);
    keep_arguments(c, &(Mapping){f, df}, sizeof(Mapping));
    for (size_t i = 0, n = wanted(c); i < n; i++)
        c->value[i] = (real)f((double)a->value[i]);
    return c;
}

const Mapping *
mapping_of(const Node *n)
{
    return n->backward == map_backward ? n->arguments : NULL;
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
    Node *c = elementwise(gelu_backward, a, NULL);
    c->kept = keep(c, size_of(c));
    if (c->value)
        parallel_for(threads_count(), gelu_chunk, c);
    return c;
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
    if (by < 0)
        bug("shift: %s by %d: rows can only be moved down, which is towards "
            "later tokens",
            label(a).text, by);
    size_t down = (size_t)by * (size_t)a->cols;
    Node *c = elementwise(shift_backward, a, NULL);
    keep_arguments(c, &down, sizeof down);
    size_t sequence = size_of(c) / (size_t)c->sequences;
    for (size_t i = 0, n = wanted(c); i < n; i++)
        c->value[i] = 0;
    for (size_t s = 0; s < wanted(c); s += sequence)
        for (size_t i = down; i < sequence; i++)
            c->value[s + i] = a->value[s + i - down];
    return c;
}

Node *
cached(Node *a)
{
    a->root->kept_by_decoder = true;
    a = closed(all_rows(a));
    a->root->kept_by_decoder = true;
    return a;
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
