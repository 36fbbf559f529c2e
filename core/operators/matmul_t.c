/* matmul_t.c - the operator A B', and how operators are made that multiply two
   matrices head by head. */
#include "operators/matmul_t.h"

/* Part i of A, B or C. B_i is transposed if the operator says so, so that in
   the code below C_i is always A_i B_i. */
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
    for (int i = 0; i < c->heads; i++) {
        Matrix a = part_of(c, i, FIRST, c->in[0]->value);
        Matrix b = part_of(c, i, SECOND, c->in[1]->value);
        multiply(part_of(c, i, RESULT, c->value), a, b);
    }
}

/* In the forward pass C_i was A_i B_i, so now dA_i += dC_i B_i' and
   dB_i += A_i' dC_i. */
void
product_backward(Node *c)
{
    Node *first = c->in[0], *second = c->in[1];
    for (int i = 0; i < c->heads; i++) {
        Matrix a = part_of(c, i, FIRST, first->value);
        Matrix b = part_of(c, i, SECOND, second->value);
        Matrix dc = part_of(c, i, RESULT, c->gradient);
        if (first->trained)
            multiply_add(part_of(c, i, FIRST, gradient(first)), dc,
                         transposed(b));
        if (second->trained)
            multiply_add(part_of(c, i, SECOND, gradient(second)), transposed(a),
                         dc);
    }
}

/* The function `part` of matmul_t: the whole matrix is its only part. */
static Matrix
whole(const Node *c, int i, Factor which, real *at)
{
    (void)i;
    const Node *n = which == RESULT ? c : c->in[which];
    return matrix(at, n->rows, n->cols, n->cols);
}

/* C = A B' */
const ProductOp matmul_t_op = PRODUCT_OF("matmul_t", whole, TRANSPOSED);

/* B must have only one sequence, because the product would mix the tokens of
   several. */
Node *
matmul_t(Node *a, Node *b)
{
    if (a->cols != b->cols)
        mismatch("matmul_t", a, b, "both need the same number of columns");
    if (b->sequences != 1)
        mismatch("matmul_t", a, b,
                 "the product would mix tokens of different sequences; use "
                 "scores, apply_weights or attend");
    return make(&matmul_t_op.op, OF(a, b), (Spec){.cols = b->rows, .heads = 1});
}
