/* composed.c - attention and LayerNorm, composed of operators. */
#include <math.h>

#include "heart/attention.h"
#include "heart/composed.h"
#include "heart/heads.h"
#include "heart/tape.h"

const Operator attend_op = {"attend", NULL, NULL};

/* The argument is the last of the three steps, which are computed before. */
static void
steps_forward(Node *c)
{
    Node *const *out = c->arguments;
    c->value = (*out)->value;
}

/* The steps again, the last one first, head by head: dV += P' dO, dP = dO V',
   then dS, then dQ += dS K, dK += dS' Q */
static void
steps_backward(Node *c)
{
    Node *out = *(Node *const *)c->arguments, *p = out->in[0], *s = p->in[0];
    out->gradient = c->gradient;
    for (int h = 0; h < c->heads; h++) {
        product_part_backward(out, h);
        for (int i = h; p->trained && i < p->rows * p->heads; i += p->heads)
            softmax_row_backward(p, i);
        product_part_backward(s, h);
    }
}

Node *
attend(Attention *a, Node *q, Node *k, Node *v, double scale)
{
    static const Operator op = {"attend", steps_forward, steps_backward};
    if (a->relative && a->relative->bias)
        return apply_weights(a, softmax(a, scores(a, q, k, scale)), v);
    attend_operands(a, &q, &k, &v);
    Attended with = {scale, a->causal, .sink = -INFINITY};
    Node *p = make(&softmax_op, OF(score(q, k)), (Made){WITH(with)});
    Node *out = weigh(p, v);
    return make(&op, OF(q, k, v), (Made){.cols = out->cols, WITH(out)});
}

Node *
layer_norm(Node *x, Node *gain, Node *bias)
{
    return add(hadamard(normalize(x, 1e-5, true), gain), bias);
}
