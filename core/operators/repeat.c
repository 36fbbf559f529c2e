/* repeat.c - A + B and A . B, whose B may be smaller than A: it is repeated. */
#include "heart/tape.h"
#include "operators/repeat.h"

/* C repeats A along the axes in which A is 1 long: rows, heads, or columns of a
   head. If a row or head is repeated, the next one is 0 entries away. */
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
            if (a_width == width)
                add_between(in_c, in_a, width, back);
            else
                for (int j = 0; j < width; j++)
                    add_between(in_c + j, in_a, 1, back);
        }
}

const LinearOp spread_op = LINEAR("spread", add_repeated);

/* B, repeated to A's shape and heads along the axes in which it is 1 long. If
   they differ along another axis, aborts in the name of the operator. */
static Node *
repeated(const char *name, const Node *a, Node *b)
{
    if (a->cols == b->cols)
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
