/* operators.c - the operators of the heart's models, except attention, norms,
   embedding and loss.

   An operator is three functions: `_forward` computes C, the node's value;
   `_backward` adds to the gradients of the operands; and the last one makes the
   node. A linear operator needs one function for both passes (LinearOp,
   operators.h). Gradients are added to (+=), because a matrix that is used
   twice gets two contributions. */

#include <string.h>

#include "heart/fail.h"
#include "heart/operators.h"
#include "heart/rows.h"
#include "heart/tape.h"

Node *
make(const Operator *op, Node *const *in, int inputs, Spec with)
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
    bug("%s: %s and %s do not fit: %s (heads: %d and %d, sequences: %d and %d)",
        name, label(a), label(b), wanted, a->heads, b->heads, a->sequences,
        b->sequences);
}

/* C = the sum of L_k A_k over the operands A_k */
void
linear_forward(Node *c)
{
    const LinearOp *l = (const LinearOp *)c->op;
    memset(c->value, 0, size_of(c) * sizeof(real));
    for (int k = 0; k < c->inputs; k++)
        l->add(c, k, c->value, c->in[k]->value, false);
}

/* In the forward pass C was the sum of L_k A_k, so now dA_k += L_k' dC. */
void
linear_backward(Node *c)
{
    const LinearOp *l = (const LinearOp *)c->op;
    for (int k = 0; k < c->inputs; k++)
        if (c->in[k]->trained)
            l->add(c, k, c->gradient, gradient(c->in[k]), true);
}

/* The whole matrix at `at`, which has n's shape: n's value or its gradient. */
static Matrix
whole(const Node *n, real *at)
{
    return matrix(at, n->rows, n->cols, n->cols);
}

/* Adds the product a b to the gradient of n, which is its root's if n is a
   view. The first contribution overwrites the gradient instead, which saves
   clearing it. */
static void
add_product(Node *n, Matrix a, Matrix b)
{
    bool first = start_gradient(n->root);
    Matrix sum = whole(n, n->root->gradient);
    if (first)
        multiply(sum, a, b);
    else
        multiply_add(sum, a, b);
}

/* C = A B */
static void
matmul_forward(Node *c)
{
    Node *a = c->in[0], *b = c->in[1];
    multiply(whole(c, c->value), whole(a, a->value), whole(b, b->value));
}

/* In the forward pass C was A B, so now dA += dC B' and dB += A' dC. */
static void
matmul_backward(Node *c)
{
    Node *a = c->in[0], *b = c->in[1];
    Matrix dc = whole(c, c->gradient);
    if (a->trained)
        add_product(a, dc, transposed(whole(b, b->value)));
    if (b->trained)
        add_product(b, transposed(whole(a, a->value)), dc);
}

const Operator matmul_op = {"matmul", matmul_forward, matmul_backward};

/* A product sums over the rows of B. If those were the tokens of several
   sequences, it would mix the sequences, so B must have only one. */
Node *
matmul(Node *a, Node *b)
{
    if (a->cols != b->rows)
        mismatch("matmul", a, b,
                 "the second needs a row for each column of the first");
    if (b->sequences != 1)
        mismatch("matmul", a, b,
                 "the product would add up tokens of different sequences; use "
                 "scores, apply_weights or attend");
    return make(&matmul_op, OF(a, b), (Spec){.cols = b->cols, .heads = 1});
}

void
add_between(real *of_c, real *of_k, int n, bool back)
{
    real *to = back ? of_k : of_c;
    const real *from = back ? of_c : of_k;
    for (int j = 0; j < n; j++)
        to[j] += from[j];
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

const Operator add_op = {"add", add_forward, add_backward};

Node *
residual(Node *a, Node *b)
{
    return make(&add_op, OF(a, b), (Spec){0});
}

/* In the forward pass C was f(A), entry by entry, and f'(A) was kept. So now
   dA += dC . f'(A), which is computed in the memory of f'(A). */
void
slope_backward(Node *c)
{
    for (size_t i = 0, n = size_of(c); i < n; i++)
        c->kept[i] *= c->gradient[i];
    add_gradient(c->in[0], c->kept);
}

/* GELU(x) = x/2 (1 + t) with t = tanh(u) and u = a (x + b x^3), the form of
   Hendrycks and Gimpel 2016 that GPT-2 uses. */
#define GELU_A ((real)0.79788456080286535588) /* sqrt(2 / pi) */
#define GELU_B ((real)0.044715)

/* C = x/2 (1 + t) for each entry x of A. Its derivative, which is kept, is
   (1 + t) / 2 + x/2 (1 - t^2) du/dx. The array t holds u, then t, and at last
   the derivative. */
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
    return make(&gelu_op, OF(a), (Spec){.keeps = size_of(a)});
}
