/* operators.c - the linear and elementwise operators, each with its derivative.

   An operator is three functions: `_forward` computes C, its node's value;
   `_backward` adds to the gradients of its operands; and the last one makes the
   node. A linear operator needs one function for both passes (LinearOp,
   operators.h), and a product only names the parts that are multiplied
   (ProductOp). In comments dX is the gradient of the loss with respect
   to X. It is added to (+=), because a matrix that is used twice gets two
   contributions. */

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
    const LinearOp *l = (const LinearOp *)c->op;
    memset(c->value, 0, size_of(c) * sizeof(real));
    for (int k = 0; k < c->inputs; k++)
        l->add(c, k, c->value, c->in[k]->value, false);
}

/* In the forward pass C was the sum of L A, so now dA += L' dC. */
void
linear_backward(Node *c)
{
    const LinearOp *l = (const LinearOp *)c->op;
    for (int k = 0; k < c->inputs; k++)
        if (c->in[k]->trained)
            l->add(c, k, c->gradient, gradient(c->in[k]), true);
}

static Matrix
whole(const Node *c, int i, Factor which, real *at)
{
    (void)i;
    const Node *n = which == RESULT ? c : c->in[which];
    return matrix(at, n->rows, n->cols, n->cols);
}

/* Part i of A, B or C, whose value or gradient is at `at`. */
static Matrix
part_of(const Node *c, int i, Factor which, real *at)
{
    const ProductOp *p = (const ProductOp *)c->op;
    Matrix m = p->part(c, i, which, at);
    if (which == SECOND && p->second == TRANSPOSED)
        return transposed(m);
    return m;
}

/* C_i = A_i B_i */
void
product_forward(Node *c)
{
    for (int i = 0; i < c->heads; i++)
        multiply(part_of(c, i, RESULT, c->value),
                 part_of(c, i, FIRST, c->in[0]->value),
                 part_of(c, i, SECOND, c->in[1]->value));
}

/* Adds the product of a and b to the gradient of part i of an operand. A first
   contribution to a whole matrix overwrites it instead, which saves clearing
   it. A part cannot do that, because other parts may have been added. */
static void
add_to_operand(Node *c, int i, Factor which, Matrix a, Matrix b)
{
    Node *n = c->in[which];
    const ProductOp *p = (const ProductOp *)c->op;
    bool overwrites = p->part == whole && start_gradient(n->root);
    Matrix sum = part_of(c, i, which, gradient(n));
    if (overwrites)
        multiply(sum, a, b);
    else
        multiply_add(sum, a, b);
}

/* In the forward pass C_i was A_i B_i, so now dA_i += dC_i B_i' and
   dB_i += A_i' dC_i. */
void
product_backward(Node *c)
{
    for (int i = 0; i < c->heads; i++) {
        Matrix a = part_of(c, i, FIRST, c->in[0]->value);
        Matrix b = part_of(c, i, SECOND, c->in[1]->value);
        Matrix dc = part_of(c, i, RESULT, c->gradient);
        if (c->in[0]->trained)
            add_to_operand(c, i, FIRST, dc, transposed(b));
        if (c->in[1]->trained)
            add_to_operand(c, i, SECOND, transposed(a), dc);
    }
}

const ProductOp matmul_op = PRODUCT("matmul", whole, AS_IS);
const ProductOp matmul_t_op = PRODUCT("matmul_t", whole, TRANSPOSED);

/* The sum runs over the side of B that is `inner` long; B's other side becomes
   the columns of C. Tokens of several sequences cannot be summed over. */
static Node *
product(const Operator *op, Node *a, Node *b, int inner, int cols)
{
    if (a->cols != inner)
        mismatch(op->name, a, b,
                 "the second needs a row for each column of the first, or in "
                 "matmul_t a column");
    if (b->sequences != 1)
        mismatch(op->name, a, b,
                 "the product would add up tokens of different sequences; use "
                 "scores, apply_weights or attend");
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

/* In the forward pass C was A + B, so now dA += dC and dB += dC. */
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

const Operator add_op = {"add", add_forward, add_backward};
const Operator hadamard_op = {"hadamard", hadamard_forward, hadamard_backward};
/* C repeats A, whose rows, heads or columns of a head may be 1 long. */
static void
add_repeated(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    const Node *a = c->in[k];
    int width = c->cols / c->heads, a_width = a->cols / a->heads;
    int next_row = a->rows == 1 ? 0 : a->cols;
    int next_head = a->heads == 1 ? 0 : a_width;
    for (int i = 0; i < c->rows; i++)
        for (int h = 0; h < c->heads; h++) {
            real *x = of_c + i * c->cols + h * width;
            real *y = of_a + i * next_row + h * next_head;
            if (a_width == width)
                add_between(x, y, width, back);
            else
                for (int j = 0; j < width; j++)
                    add_between(x + j, y, 1, back);
        }
}

const LinearOp spread_op = LINEAR("spread", add_repeated);

/* A node of A and B, after B is repeated to A's shape and heads along the axes
   in which it is 1 long. */
static Node *
pair(const Operator *op, Node *a, Node *b)
{
    if (a->cols == b->cols)
        b = split(b, a->heads);
    int width = b->cols / b->heads;
    if ((b->rows != 1 && b->rows != a->rows) ||
        (b->heads != 1 && b->heads != a->heads) ||
        (width != 1 && width != a->cols / a->heads))
        mismatch(
            op->name, a, b,
            "the second needs the rows, the heads and the columns per head "
            "of the first, or 1 of them; for a number per head, pass "
            "split(w, a->heads) of a w (1 x heads)");
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

/* In the forward pass C was f(A), entry by entry, and f'(A) was kept. So now
   dA += dC . f'(A). */
void
slope_backward(Node *c)
{
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->kept[i] *= c->gradient[i];
    add_gradient(c->in[0], c->kept);
}

/* GELU(x) = x/2 (1 + t) with t = tanh(u) and u = sqrt(2/pi) (x + b x^3), the
   form of Hendrycks and Gimpel 2016 that GPT-2 uses. */
#define GELU_A ((real)0.79788456080286535588) /* sqrt(2 / pi) */
#define GELU_B ((real)0.044715)

/* C = A/2 (1 + t). Its derivative (1 + t) / 2 + A/2 (1 - t^2) du/dA is kept,
   where t was before. */
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
