/* elementwise.c - operators that work entry by entry: A + B and A . B, whose B
   may be smaller than A and is then repeated; scaling by a factor, functions of
   each entry, and RMSNorm. */
#include "heart/numbers.h"
#include "heart/rows.h"
#include "heart/tape.h"
#include "operators/elementwise.h"

/* C repeats A along the axes in which A has only 1: rows, heads, or columns of
   a head. If a row or head is repeated, the next one is 0 entries away. */
static void
add_repeated(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    const Node *a = c->in[k];
    int width = c->cols / c->heads, a_width = a->cols / a->heads;
    int next_row = a->rows == 1 ? 0 : a->cols;
    int next_head = a->heads == 1 ? 0 : a_width;
    for (int i = 0; i < c->rows; i++)
        for (int h = 0; h < c->heads; h++) {
            real *in_c = of_c + i * c->cols + h * width;
            real *in_a = of_a + i * next_row + h * next_head;
            for (int j = 0; j < width; j += a_width)
                add_between(in_c + j, in_a, a_width, back);
        }
}

const LinearOp spread_op = LINEAR("spread", add_repeated);

/* B, repeated to A's shape and heads along the axes in which B has only 1. If A
   and B differ along another axis, aborts with a message of the operator
   `name`. */
static Node *
repeated(const char *name, const Node *a, Node *b)
{
    if (a->cols == b->cols) /* as wide as A, so it can have A's heads */
        b = split(b, a->heads);
    int width = b->cols / b->heads;
    bool rows_fit = b->rows == 1 || b->rows == a->rows;
    bool heads_fit = b->heads == 1 || b->heads == a->heads;
    bool columns_fit = width == 1 || width == a->cols / a->heads;
    if (!rows_fit || !heads_fit || !columns_fit)
        mismatch(
            name, a, b,
            "the second needs the rows, the heads and the columns per head "
            "of the first, or 1 of them; for a number per head, pass "
            "split(w, a->heads) of a w (1 x heads)");
    if (b->rows == a->rows && b->cols == a->cols)
        return b;
    return make(&spread_op.op, OF(b),
                (Spec){.rows = a->rows, .cols = a->cols, .heads = a->heads});
}

Node *
add(Node *a, Node *b)
{
    b = repeated("add", a, b);
    return make(&add_op, OF(a, b), (Spec){0});
}

/* C = A . B, entry by entry */
static void
hadamard_forward(Node *c)
{
    const real *a = c->in[0]->value, *b = c->in[1]->value;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->value[i] = a[i] * b[i];
}

/* Adds x . y to the gradient of n. */
static void
add_entry_products(Node *n, const real *x, const real *y)
{
    real *d = gradient(n);
    for (size_t i = 0, count = size_of(n); i < count; i++)
        d[i] += x[i] * y[i];
}

/* In the forward pass C was A . B, so now dA += dC . B and dB += dC . A. */
static void
hadamard_backward(Node *c)
{
    Node *a = c->in[0], *b = c->in[1];
    if (a->trained)
        add_entry_products(a, c->gradient, b->value);
    if (b->trained)
        add_entry_products(b, c->gradient, a->value);
}

const Operator hadamard_op = {"hadamard", hadamard_forward, hadamard_backward};

Node *
hadamard(Node *a, Node *b)
{
    b = repeated("hadamard", a, b);
    return make(&hadamard_op, OF(a, b), (Spec){0});
}

/* C = factor A */
static void
add_scaled(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    (void)k;
    const double *factor = c->arguments;
    real *to = back ? of_a : of_c;
    const real *from = back ? of_c : of_a;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        to[i] += (real)*factor * from[i];
}

const LinearOp scale_op = LINEAR("scale", add_scaled);

Node *
scale(Node *a, double factor)
{
    return make(&scale_op.op, OF(a), (Spec){WITH(factor)});
}

/* C = tanh A. Its derivative 1 - C^2 is kept. */
static void
tanh_forward(Node *c)
{
    tanh_entries(c->value, c->in[0]->value, size_of(c));
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->kept[i] = 1 - c->value[i] * c->value[i];
}

const Operator tanh_op = {"tanh_of", tanh_forward, slope_backward};

Node *
tanh_of(Node *a)
{
    return make(&tanh_op, OF(a), (Spec){.keeps = size_of(a)});
}

/* C = 1 / (1 + e^-A) = (1 + tanh(A / 2)) / 2 */
static void
sigmoid_forward(Node *c)
{
    const real *a = c->in[0]->value;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->value[i] = a[i] / 2;
    tanh_entries(c->value, c->value, size_of(c));
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->value[i] = (1 + c->value[i]) / 2;
}

/* In the forward pass C was sigmoid(A), whose derivative is C (1 - C). So now
   dA += dC . C . (1 - C), entry by entry. */
static void
sigmoid_backward(Node *c)
{
    real *d = gradient(c->in[0]);
    for (size_t i = 0, n = size_of(c); i < n; i++)
        d[i] += c->gradient[i] * c->value[i] * (1 - c->value[i]);
}

const Operator sigmoid_op = {"sigmoid", sigmoid_forward, sigmoid_backward};

Node *
sigmoid(Node *a)
{
    return make(&sigmoid_op, OF(a), (Spec){0});
}

/* C = f(A). f'(A) is kept. */
static void
map_forward(Node *c)
{
    const Mapping *m = c->arguments;
    const real *a = c->in[0]->value;
    for (size_t i = 0, n = size_of(c); i < n; i++) {
        c->value[i] = (real)m->f((double)a[i]);
        c->kept[i] = (real)m->df((double)a[i]);
    }
}

const Operator map_op = {"map", map_forward, slope_backward};

Node *
map(Node *a, double (*f)(double), double (*df)(double))
{
    return make(&map_op, OF(a),
                (Spec){WITH((Mapping){f, df}), .keeps = size_of(a)});
}

/* In each row of each head C = A / rms, with rms = sqrt(mean(A . A) + eps).
   c->kept gets 1 / rms of each row. */
static void
rms_forward(Node *c)
{
    const double *eps = c->arguments;
    int width = c->cols / c->heads;
    for (int i = 0; i < c->rows * c->heads; i++) {
        const real *x = c->in[0]->value + i * width;
        real *y = c->value + i * width;
        real mean_square = row_dot(x, x, width) / (real)width;
        c->kept[i] = 1 / SQRT(mean_square + (real)*eps);
        for (int j = 0; j < width; j++)
            y[j] = x[j] * c->kept[i];
    }
}

/* In the forward pass a row was C = A / rms. An entry of A also changed the rms
   of its row, whose derivative with respect to A_j is C_j / width. So now
   dA += (dC - C mean(dC . C)) / rms. */
static void
rms_backward(Node *c)
{
    int width = c->cols / c->heads;
    real *da = gradient(c->in[0]);
    for (int i = 0; i < c->rows * c->heads; i++) {
        const real *y = c->value + i * width, *dy = c->gradient + i * width;
        real mean = row_dot(dy, y, width) / (real)width;
        for (int j = 0; j < width; j++)
            da[i * width + j] += (dy[j] - y[j] * mean) * c->kept[i];
    }
}

const Operator rms_norm_op = {"rms_norm", rms_forward, rms_backward};

Node *
rms_norm(Node *a, double eps)
{
    return make(&rms_norm_op, OF(a),
                (Spec){WITH(eps), .keeps = (size_t)a->rows * (size_t)a->heads});
}
