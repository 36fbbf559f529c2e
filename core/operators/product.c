/* product.c - operators that are a product, part by part: matmul
   (heart/operators.c) for each head of three matrices. */
#include "heart/tape.h"
#include "operators/product.h"

/* Part i of A, B or C as the product has it. */
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
