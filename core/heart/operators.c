/* operators.c - the linear and elementwise operators, each with its derivative.

   An operator is three functions: `_forward` computes C, its node's value;
   `_backward` is the derivative; and the last one makes the node. A linear
   operator needs one function for both (Linear, operators.h), and a product
   says which parts are multiplied (Product). In the comment at a `_backward`,
   dX stands for the gradient of the loss by X, and
   `+=` is there because a matrix that is used twice gets two contributions. */

#include <string.h>

#include "heart/fail.h"
#include "heart/operators.h"
#include "heart/rows.h"
#include "heart/tape.h"

Node *
make(const Operator *op, Node *const *in, int inputs, Made with)
{
    Node *a = in[0];
    Node *c = new_node(op, with.rows ? with.rows : a->rows,
                       with.cols ? with.cols : a->cols, in, inputs);
    c->heads = with.heads ? with.heads : a->heads;
    c->sequences = with.sequences ? with.sequences : a->sequences;
    if (with.arguments)
        keep_arguments(c, with.arguments, with.size);
    if (with.keeps)
        c->kept = keep(c, with.keeps);
    return compute(c);
}

void
mismatch(const char *name, const Node *a, const Node *b, const char *wanted)
{
    bug("%s: %s and %s do not fit (heads: %d and %d, sequences: %d and %d): %s",
        name, label(a), label(b), a->heads, b->heads, a->sequences,
        b->sequences, wanted);
}

/* C = the sum of L A over the operands A */
void
linear_forward(Node *c)
{
    const Linear *l = (const Linear *)c->op;
    memset(c->value, 0, size_of(c) * sizeof(real));
    for (int k = 0; k < c->inputs; k++)
        l->add(c, k, c->value, c->in[k]->value, false);
}

/* dA += L' dC */
void
linear_backward(Node *c)
{
    const Linear *l = (const Linear *)c->op;
    for (int k = 0; k < c->inputs; k++)
        if (c->in[k]->trained)
            l->add(c, k, c->gradient, gradient(c->in[k]), true);
}

static Matrix
whole(const Node *c, int i, int k, real *at)
{
    (void)i;
    const Node *n = k < 2 ? c->in[k] : c;
    return matrix(at, n->rows, n->cols, n->cols);
}

/* Part i of A (k = 0), B (1) or C (2), whose value or gradient is at `at`. */
static Matrix
part_of(const Node *c, int i, int k, real *at)
{
    const Product *p = (const Product *)c->op;
    Matrix m = p->part(c, i, k, at);
    return k == 1 && p->transposed ? transposed(m) : m;
}

/* C_i = A_i B_i */
void
product_forward(Node *c)
{
    for (int i = 0; i < c->heads; i++)
        multiply(part_of(c, i, 2, c->value), part_of(c, i, 0, c->in[0]->value),
                 part_of(c, i, 1, c->in[1]->value));
}

/* dA_i += dC_i B_i',  dB_i += A_i' dC_i. The first to arrive at the gradient of
   a whole matrix overwrites it, which saves a pass; a part cannot, since
   another head may have been there. */
void
product_part_backward(Node *c, int i)
{
    for (int k = 0; k < 2; k++) {
        Node *n = c->in[k];
        if (!n->trained)
            continue;
        bool all = ((const Product *)c->op)->part == whole;
        bool first = all && start_gradient(n->root);
        Matrix dc = part_of(c, i, 2, c->gradient);
        Matrix other = transposed(part_of(c, i, 1 - k, c->in[1 - k]->value));
        (first ? multiply : multiply_add)(part_of(c, i, k, gradient(n)),
                                          k ? other : dc, k ? dc : other);
    }
}

void
product_backward(Node *c)
{
    for (int i = 0; i < c->heads; i++)
        product_part_backward(c, i);
}

const Product matmul_op = {{"matmul", PRODUCT}, .part = whole};
const Product matmul_t_op = {
    {"matmul_t", PRODUCT}, .part = whole, .transposed = true};

/* B's side `inner` is summed over; its other one becomes C's columns. Tokens of
   several sequences may not be summed over. */
static Node *
product(const Operator *op, Node *a, Node *b, int inner, int cols)
{
    if (a->cols != inner)
        mismatch(op->name, a, b,
                 "the second has a row for each column of the first, in "
                 "matmul_t a column");
    if (b->sequences != 1)
        mismatch(op->name, a, b,
                 "a product would mix the sequences of the second; use scores, "
                 "apply_weights or attend");
    return make(op, OF(a, b), (Made){.cols = cols, .heads = 1});
}

Node *
matmul(Node *a, Node *b)
{
    return product(&matmul_op.op, a, b, b->rows, b->cols);
}

Node *
matmul_t(Node *a, Node *b)
{
    return product(&matmul_t_op.op, a, b, b->cols, b->rows);
}

void
add_between(real *of_c, real *of_k, int n, bool back)
{
    real *to = back ? of_k : of_c;
    const real *from = back ? of_c : of_k;
    for (int j = 0; j < n; j++)
        to[j] += from[j];
}

/* What operand A gives to each head of C: its columns from the argument `from`
   on; of several operands all of them, beside those of the operands before it.
   A single row, head or column of a head serves all of C's. */
void
add_to_heads(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    const Node *a = c->in[k];
    const int *from = c->arguments;
    int width = c->cols / c->heads, of_each = a->cols / a->heads;
    int down = a->rows == 1 ? 0 : a->cols, next = a->heads == 1 ? 0 : of_each;
    int count = c->inputs > 1 ? of_each : width;
    of_a += from ? *from : 0;
    for (int i = 0; i < k; i++)
        of_c += c->in[i]->cols / c->in[i]->heads;
    for (int i = 0; i < c->rows; i++, of_c += c->cols, of_a += down)
        for (int h = 0; h < c->heads; h++) {
            real *x = of_c + h * width, *y = of_a + h * next;
            if (of_each > 1)
                add_between(x, y, count, back);
            for (int j = 0; of_each == 1 && j < count; j++)
                add_between(x + j, y, 1, back);
        }
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

const Linear scale_op = {{"scale", LINEAR}, add_scaled};

Node *
scale(Node *a, double factor)
{
    return make(&scale_op.op, OF(a), (Made){WITH(factor)});
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
    for (int k = 0; k < 2; k++)
        if (c->in[k]->trained)
            add_gradient(c->in[k], c->gradient);
}

/* C = A . B */
static void
hadamard_forward(Node *c)
{
    const real *a = c->in[0]->value, *b = c->in[1]->value;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->value[i] = a[i] * b[i];
}

/* dA += dC . B,  dB += dC . A */
static void
hadamard_backward(Node *c)
{
    for (int k = 0; k < 2; k++) {
        real *d = c->in[k]->trained ? gradient(c->in[k]) : NULL;
        const real *other = c->in[1 - k]->value;
        for (size_t i = 0, n = size_of(c); d && i < n; i++)
            d[i] += c->gradient[i] * other[i];
    }
}

const Operator add_op = {"add", add_forward, add_backward};
const Operator hadamard_op = {"hadamard", hadamard_forward, hadamard_backward};
const Linear spread_op = {{"spread", LINEAR}, add_to_heads};

/* A node of A and B, which is repeated along the axes in which it is 1 long, to
   A's shape and heads. */
static Node *
pair(const Operator *op, Node *a, Node *b)
{
    if (a->cols == b->cols)
        b = split(b, a->heads);
    int width = b->cols / b->heads;
    if ((b->rows != 1 && b->rows != a->rows) ||
        (b->heads != 1 && b->heads != a->heads) ||
        (width != 1 && width != a->cols / a->heads))
        mismatch(op->name, a, b,
                 "the second has as many rows, heads and columns in a head as "
                 "the first, or 1; split(w, a->heads) makes a number for each "
                 "head of w");
    if (b->rows != a->rows || b->cols != a->cols)
        b = make(&spread_op.op, OF(b),
                 (Made){.rows = a->rows, .cols = a->cols, .heads = a->heads});
    return make(op, OF(a, b), (Made){0});
}

Node *
add(Node *a, Node *b)
{
    return pair(&add_op, a, b);
}

Node *
hadamard(Node *a, Node *b)
{
    return pair(&hadamard_op, a, b);
}

/* dA += dC . f'(A): functions of each entry keep their slope, which becomes
   that product. */
static void
slope_backward(Node *c)
{
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->kept[i] *= c->gradient[i];
    add_gradient(c->in[0], c->kept);
}

/* C = tanh A, and kept is 1 - C^2 */
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
    return make(&tanh_op, OF(a), (Made){.keeps = size_of(a)});
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

/* dA += dC C (1 - C), elementwise */
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
    return make(&sigmoid_op, OF(a), (Made){0});
}

/* C = f(A), and f'(A) is kept */
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
                (Made){WITH((Mapping){f, df}), .keeps = size_of(a)});
}

/* GELU(x) = x/2 (1 + t) with t = tanh(u) and u = sqrt(2/pi) (x + b x^3), the
   form of Hendrycks and Gimpel 2016 that GPT-2 uses. */
#define GELU_A ((real)0.79788456080286535588) /* sqrt(2 / pi) */
#define GELU_B ((real)0.044715)

/* C = A/2 (1 + t), and (1 + t) / 2 + A/2 (1 - t^2) du/dA is kept */
static void
gelu_forward(Node *c)
{
    const real *restrict x = c->in[0]->value;
    real *restrict t = c->kept;
    for (size_t i = 0, n = size_of(c); i < n; i++)
        t[i] = GELU_A * (x[i] + GELU_B * x[i] * x[i] * x[i]);
    tanh_entries(t, t, size_of(c));
    for (size_t i = 0, n = size_of(c); i < n; i++) {
        real du = GELU_A * (1 + 3 * GELU_B * x[i] * x[i]);
        c->value[i] = x[i] / 2 * (1 + t[i]);
        t[i] = (1 + t[i] + x[i] * (1 - t[i] * t[i]) * du) / 2;
    }
}

const Operator gelu_op = {"gelu", gelu_forward, slope_backward};

Node *
gelu(Node *a)
{
    return make(&gelu_op, OF(a), (Made){.keeps = size_of(a)});
}

/* What is remembered is one more view on the tape, whose arguments are where:
   so it is forgotten with the tape. */
enum { WHERE = 3 }; /* the place, the block and the slot */

void
remember(Attention *a, int slot, Node *n)
{
    Node *c = split(n, n->heads);
    keep_arguments(c, (int[WHERE]){a->place, a->layer, slot},
                   WHERE * sizeof(int));
}

Node *
recall(Attention *a, int slot, int layer)
{
    const int where[WHERE] = {a->place, layer, slot};
    for (Node *n = a->tape ? a->tape->last : NULL; n; n = n->previous)
        if (n->root != n && n->arguments &&
            !memcmp(n->arguments, where, sizeof where)) {
            a->tape->recalled += layer != a->layer;
            return n;
        }
    bug("recall: nothing was remembered in slot %d of block %d before block %d "
        "recalled it",
        slot, layer, a->layer);
}
