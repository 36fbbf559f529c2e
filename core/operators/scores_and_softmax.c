/* scores_and_softmax.c - attention in three steps.

   "Attention Is All You Need", equation 1, for every head of every sequence:
   scores S = scale Q K', weights P = softmax(mask(S)), output O = P V. The
   operators scores, softmax and apply_weights compute them one by one, for
   variants that act between the steps; attend (heart/attend_and_norm.c) does
   all three at once.

   Scores and weights are matrices (tokens x heads*keys), one head beside the
   other in their columns. */
#include <math.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/rows.h"
#include "heart/tape.h"
#include "operators/scores_and_softmax.h"

/* The function `part` of the products below (ProductOp, matmul_t.h). A part is
   head h of an operand or of the result, as a batch of all sequences. */
static Matrix
head_for(const Node *c, int h, Factor which, real *at)
{
    const Node *n = which == RESULT ? c : c->in[which];
    return shared_head(n, at, h, c->heads);
}

/* S_i = Q_i K_i' */
const ProductOp scores_op = PRODUCT_OF("scores", head_for, TRANSPOSED);

Node *
scores(Attention *a, Node *q, Node *k, double factor)
{
    q = positioned(a, q, a->position);
    k = all_keys(a, k);
    check_queries_and_keys("scores", q, k);
    int keys = k->rows / k->sequences;
    Node *s = make(&scores_op.op, OF(q, k), (Spec){.cols = q->heads * keys});
    s = scale(s, factor);
    if (a->relative && a->relative->biased)
        s = a->relative->biased(a, s);
    a->scored += s->heads; /* ALiBi numbers heads over all calls */
    return s;
}

int
row_sees(const Node *c, int i)
{
    const ScaleAndMask *with = c->arguments;
    int tokens = c->rows / c->sequences, query = i / c->heads % tokens;
    return keys_seen(with->causal, query, tokens, c->cols / c->heads);
}

/* P = softmax(mask(S)), in each row of each head. A bias of -INFINITY
   (biases.h) masks a score, too. */
static void
softmax_forward(Node *c)
{
    int keys = c->cols / c->heads, tokens = c->rows / c->sequences;
    memcpy(c->value, c->in[0]->value, size_of(c) * sizeof(real));
    for (int i = 0; i < c->rows * c->heads; i++) {
        int seen = row_sees(c, i);
        real *p = c->value + i * keys;
        if (row_max(p, seen) == -INFINITY)
            bug("softmax: all keys of query %d of head %d are masked: leave "
                "one unmasked, such as the key at its own position",
                i / c->heads % tokens, i % c->heads);
        row_softmax(p, seen, keys);
    }
}

/* In the forward pass row i was P = softmax(S), and each weight depended on all
   scores of its row: the derivative of P_j with respect to S_k is
   P_j ([j = k] - P_k), where [j = k] is 1 for j = k and 0 otherwise. So now
   dS += P (dP - rowsum(P dP)). A masked weight is 0, and adds nothing. */
real
softmax_row_backward(Node *c, int i)
{
    int keys = c->cols / c->heads;
    const real *p = c->value + i * keys, *dp = c->gradient + i * keys;
    real mean = row_dot(p, dp, keys);
    if (c->in[0]->trained) {
        real *ds = gradient(c->in[0]) + i * keys;
        for (int j = 0; j < keys; j++)
            ds[j] += p[j] * (dp[j] - mean);
    }
    return mean;
}

static void
softmax_backward(Node *c)
{
    for (int i = 0; i < c->rows * c->heads; i++)
        softmax_row_backward(c, i);
}

const Operator softmax_op = {"softmax", softmax_forward, softmax_backward};

Node *
softmax(Attention *a, Node *s)
{
    check_mask("softmax", a, s, s->cols / s->heads);
    return make(&softmax_op, OF(s), (Spec){MASK_OF(a)});
}

/* O_i = P_i V_i */
const ProductOp apply_weights_op = PRODUCT_OF("apply_weights", head_for, AS_IS);

Node *
apply_weights(Attention *a, Node *p, Node *v)
{
    (void)a;
    v = cached(v);
    check_heads("apply_weights", p, v);
    if (p->cols / p->heads != v->rows / v->sequences)
        mismatch("apply_weights", p, v,
                 "each head of the weights needs a column for each value");
    return make(&apply_weights_op.op, OF(p, v),
                (Spec){.cols = p->heads * (v->cols / v->heads)});
}

Node *
attend_in_steps(Attention *a, Node *q, Node *k, Node *v, double scale)
{
    return apply_weights(a, softmax(a, scores(a, q, k, scale)), v);
}
