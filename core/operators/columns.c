/* columns.c - operators that select columns of heads, join heads or mix them.
 */
#include "heart/fail.h"
#include "heart/tape.h"
#include "operators/columns.h"

/* C_i = A_i[:, from : from + width], as a sum of copied rows: C += A or, in the
   backward pass, dA += dC (LinearAdd, operators.h). */
static void
add_columns(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    const Node *a = c->in[k];
    const int *from = c->arguments;
    int width = c->cols / c->heads, a_width = a->cols / a->heads;
    for (int i = 0; i < c->rows; i++)
        for (int h = 0; h < c->heads; h++)
            add_between(of_c + i * c->cols + h * width,
                        of_a + i * a->cols + h * a_width + *from, width, back);
}

const LinearOp columns_op = LINEAR("columns", add_columns);

Node *
columns(Node *a, int from, int count)
{
    if (from < 0 || count < 1 || count > a->cols / a->heads - from)
        bug("columns: cannot take %d columns from index %d on: each of the %d "
            "heads of %s has %d, numbered from 0",
            count, from, a->heads, label(a), a->cols / a->heads);
    return make(&columns_op.op, OF(a),
                (Spec){.cols = a->heads * count, WITH(from)});
}

/* C_h = [A_h B_h ...] in each head h. Operand k fills its columns of C_h from
   `first` on, which is the sum of the widths of the operands before it. An
   operand with a single head is copied into every head of C: its next head is 0
   columns away. */
static void
add_beside(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    const Node *a = c->in[k];
    int width = c->cols / c->heads, a_width = a->cols / a->heads;
    int next_head = a->heads == 1 ? 0 : a_width;
    int first = 0;
    for (int i = 0; i < k; i++)
        first += c->in[i]->cols / c->in[i]->heads;
    for (int i = 0; i < c->rows; i++)
        for (int h = 0; h < c->heads; h++)
            add_between(of_c + i * c->cols + h * width + first,
                        of_a + i * a->cols + h * next_head, a_width, back);
}

const LinearOp concat_op = LINEAR("concat", add_beside);

Node *
concat(Node *const *a, int count)
{
    int width = 0, heads = 1;
    for (int k = 0; k < count; k++) {
        bool heads_fit = a[k]->heads == heads || a[k]->heads == 1 || heads == 1;
        if (a[k]->rows != a[0]->rows || !heads_fit)
            mismatch("concat", a[0], a[k],
                     "all need equal rows, and equal heads or one head");
        heads = a[k]->heads > heads ? a[k]->heads : heads;
        width += a[k]->cols / a[k]->heads;
    }
    return make(&concat_op.op, a, count,
                (Spec){.cols = heads * width, .heads = heads});
}

/* The function `part` of mix_heads (ProductOp, matmul_t.h). For each token, its
   row of S is a matrix (heads of S x width) with a head in each row, its row of
   P is (heads of S x heads of C), and its row of C is (heads of C x width). So
   C' = S' P: S and C are transposed, and P is not. */
static Matrix
token_matrices(const Node *c, int part, Factor which, real *at)
{
    const Node *n = which == RESULT ? c : c->in[which];
    int width = n->cols / n->heads;
    Matrix m = matrix(at, n->heads, width, width);
    /* A product has a part for each head of C. Here part 0 is the batch of all
       tokens, and the others are empty. */
    m.count = part == 0 ? c->rows : 0;
    m.step = n->rows == 1 ? 0 : n->cols; /* 0: all tokens use one P */
    return which == SECOND ? m : transposed(m);
}

const ProductOp mix_heads_op = PRODUCT_OF("mix_heads", token_matrices, AS_IS);

Node *
mix_heads(Node *s, Node *p)
{
    bool for_each_token = p->rows == s->rows && p->heads == s->heads;
    if (!for_each_token && p->rows != s->heads)
        mismatch("mix_heads", s, p,
                 "the second needs a row for each head of the first; or a row "
                 "for each token, split into as many heads");
    /* A P that is the same for every token (heads of S x heads of C) becomes a
       row, whose heads were the rows of P. Its entries stay where they are, so
       only the shape of a view is changed. */
    if (!for_each_token) {
        p = split(p, p->heads);
        p->heads = p->rows;
        p->cols *= p->rows;
        p->rows = 1;
    }
    int heads = p->cols / p->heads;
    return make(&mix_heads_op.op, OF(s, p),
                (Spec){.cols = heads * (s->cols / s->heads), .heads = heads});
}
