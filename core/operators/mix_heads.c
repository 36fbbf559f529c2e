/* mix_heads.c - heads that are weighted sums of heads. */
#include "heart/tape.h"
#include "operators/mix_heads.h"

/* One row of S is a matrix, with a head in each of its rows; so are a row of P
   and one of C. Then C' = S' P, token by token. All tokens are one batch, which
   is part 0; the other parts are empty. If P has a single row, all tokens use
   it. */
static Matrix
token_matrices(const Node *c, int i, Factor k, real *at)
{
    const Node *n = k == RESULT ? c : c->in[k];
    int width = n->cols / n->heads;
    Matrix m = matrix(at, n->heads, width, width);
    m.count = i ? 0 : c->rows;
    m.step = n->rows == 1 ? 0 : n->cols;
    return k == SECOND ? m : transposed(m);
}

const ProductOperator mix_heads_op = {
    {"mix_heads", product_forward, product_backward}, .part = token_matrices};

/* P (heads x heads of C), the same for every token, is seen as one row. */
Node *
mix_heads(Node *s, Node *p)
{
    bool for_each_token = p->rows == s->rows && p->heads == s->heads;
    if (!for_each_token && p->rows != s->heads)
        mismatch("mix_heads", s, p,
                 "the second needs a row for each head; or a row for each "
                 "token, split into as many heads");
    if (!for_each_token) {
        p = split(p, p->heads);
        p->heads = p->rows;
        p->cols *= p->rows;
        p->rows = 1;
    }
    int heads = p->cols / p->heads;
    return make(&mix_heads_op.op, OF(s, p),
                (Made){.cols = heads * (s->cols / s->heads), .heads = heads});
}
