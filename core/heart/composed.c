/* composed.c - attention and LayerNorm, composed of operators. */
#include <math.h>

#include "heart/attention.h"
#include "heart/composed.h"
#include "heart/heads.h"
#include "heart/tape.h"

/* The three steps are computed before; the last one is the argument, and its
   value is taken over. The backward pass does not see them but through this
   node: so gradients are added up in the order of core/fast, where one operator
   does it all. */
static void
steps_forward(Node *c)
{
    Node *const *last = c->arguments;
    c->value = (*last)->value;
}

/* The steps again, the last one first, head by head: dP = dO V', dV += P' dO,
   then dS, then dQ += dS K, dK += dS' Q */
static void
steps_backward(Node *c)
{
    Node *last = *(Node *const *)c->arguments, *p = last->in[0], *s = p->in[0];
    last->gradient = c->gradient;
    for (int h = 0; h < c->heads; h++) {
        product_part_backward(last, h);
        for (int i = h; p->trained && i < p->rows * p->heads; i += p->heads)
            softmax_row_backward(p, i);
        product_part_backward(s, h);
    }
}

const Operator attend_op = {"attend", steps_forward, steps_backward};

Node *
attend(Attention *a, Node *q, Node *k, Node *v, double scale)
{
    if ((a->relative && a->relative->bias) || q->tape->purpose & IN_STEPS)
        return apply_weights(a, softmax(a, scores(a, q, k, scale)), v);
    attend_operands(a, &q, &k, &v);
    Attended with = {scale, a->causal, .sink = -INFINITY};
    Node *p = make(&softmax_op, OF(raw_scores(q, k)), (Made){WITH(with)});
    Node *last = weighted_sum(p, v);
    return make(&attend_op, OF(q, k, v),
                (Made){.cols = last->cols, WITH(last)});
}

Node *
layer_norm(Node *x, Node *gain, Node *bias)
{
    return add(hadamard(normalize(x, 1e-5, true), gain), bias);
}
