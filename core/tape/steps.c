/* steps.c - attention in three steps, for variants that act between them:
   scores S = scale Q K', weights P = softmax(mask(S)), output O = P V.

   Scores and weights are matrices (tokens x heads*keys), head by
   head in its columns. */
#include <string.h>

#include "base/fail.h"
#include "math/matrix.h"
#include "math/rows.h"
#include "tape/attend.h"
#include "tape/recording.h"
#include "tape/tape.h"

/* dQ_i += scale dS_i K_i,  dK_i += scale dS_i' Q_i */
static void
scores_backward(Node *c)
{
    Node *q = c->in[0], *k = c->in[1];
    const double *scale = c->arguments;
    int group = q->heads / k->heads;
    for (size_t i = 0; i < size_of(c); i++)
        c->kept[i] = (real)*scale * c->gradient[i];
    for (int s = 0; s < q->sequences; s++)
        for (int h = 0; h < q->heads; h++) {
            Matrix ds = head_of(c, c->kept, s, h);
            if (q->trained)
                multiply_add(head_of(q, gradient(q), s, h), ds,
                             head_of(k, k->value, s, h / group));
            if (k->trained)
                multiply_add(head_of(k, gradient(k), s, h / group),
                             transposed(ds), head_of(q, q->value, s, h));
        }
}

Node *
scores(Node *q, Node *k, double scale)
{
    check_scores("scores", q, k);
    int keys = k->rows / k->sequences, group = q->heads / k->heads;
    Node *c = new_node(q->rows, q->heads * keys, scores_backward,
                       (Node *[]){q, k}, 2);
    c->heads = q->heads;
    keep_arguments(c, &scale, sizeof scale);
    c->flops[0] = pair_flops(q, keys, q->cols / q->heads);
    c->flops[1] = c->flops[0] * (q->trained + k->trained);
    c->kept = keep(c, size_of(c));
    if (!c->value)
        return c;
    for (int s = 0; s < q->sequences; s++)
        for (int h = 0; h < q->heads; h++)
            multiply(head_of(c, c->value, s, h), head_of(q, q->value, s, h),
                     transposed(head_of(k, k->value, s, h / group)));
    for (size_t i = 0; i < size_of(c); i++)
        c->value[i] *= (real)scale;
    return c;
}

/* dS += P (dP - rowsum(P dP)) */
static void
softmax_backward(Node *c)
{
    Node *a = c->in[0];
    for (int s = 0; s < c->sequences; s++)
        for (int h = 0; h < c->heads; h++)
            softmax_rows_backward(head_of(a, gradient(a), s, h),
                                  head_of(c, c->value, s, h),
                                  head_of(c, c->gradient, s, h));
}

Node *
softmax(Attention *a, Node *s)
{
    check_mask("softmax", a, s->rows / s->sequences, s->cols / s->heads);
    Node *c = new_node(s->rows, s->cols, softmax_backward, &s, 1);
    c->heads = s->heads;
    if (a->recording)
        record_softmax(a->recording, c, a->causal);
    for (int n = 0; c->value && n < c->sequences; n++)
        for (int h = 0; h < c->heads; h++)
            softmax_rows(head_of(c, c->value, n, h), head_of(s, s->value, n, h),
                         a->causal);
    return c;
}

/* dP_i += dO_i V_i',  dV_i += P_i' dO_i */
static void
weights_backward(Node *c)
{
    Node *p = c->in[0], *v = c->in[1];
    int group = p->heads / v->heads;
    for (int s = 0; s < p->sequences; s++)
        for (int h = 0; h < p->heads; h++) {
            Matrix d = head_of(c, c->gradient, s, h);
            if (p->trained)
                multiply_add(head_of(p, gradient(p), s, h), d,
                             transposed(head_of(v, v->value, s, h / group)));
            if (v->trained)
                multiply_add(head_of(v, gradient(v), s, h / group),
                             transposed(head_of(p, p->value, s, h)), d);
        }
}

Node *
apply_weights(Node *p, Node *v)
{
    check_heads("apply_weights", p, v);
    if (p->cols / p->heads != v->rows / v->sequences)
        bug("apply_weights: weights (%d x %d) of %d heads and values (%d x %d) "
            "in %d sequences do not fit",
            p->rows, p->cols, p->heads, v->rows, v->cols, v->sequences);
    int group = p->heads / v->heads;
    Node *c = new_node(p->rows, p->heads * (v->cols / v->heads),
                       weights_backward, (Node *[]){p, v}, 2);
    c->heads = p->heads;
    c->flops[0] = pair_flops(p, v->rows / v->sequences, v->cols / v->heads);
    c->flops[1] = c->flops[0] * (p->trained + v->trained);
    for (int s = 0; c->value && s < p->sequences; s++)
        for (int h = 0; h < p->heads; h++)
            multiply(head_of(c, c->value, s, h), head_of(p, p->value, s, h),
                     head_of(v, v->value, s, h / group));
    return c;
}

/* dA += dC where it is not masked */
static void
mask_zero_backward(Node *c)
{
    Node *a = c->in[0];
    const int *causal = c->arguments;
    int tokens = c->rows / c->sequences, keys = c->cols / c->heads;
    real *d = gradient(a);
    const real *dc = c->gradient;
    for (int i = 0; i < c->rows; i++)
        for (int j = 0; j < c->cols; j++, d++, dc++)
            *d += !*causal || j % keys <= i % tokens ? *dc : 0;
}

Node *
mask_zero(Attention *a, Node *s)
{
    int tokens = s->rows / s->sequences, keys = s->cols / s->heads;
    check_mask("mask_zero", a, tokens, keys);
    Node *c = new_node(s->rows, s->cols, mask_zero_backward, &s, 1);
    c->heads = s->heads;
    keep_arguments(c, &a->causal, sizeof a->causal);
    real *to = c->value, *from = s->value;
    for (int i = 0; to && i < c->rows; i++)
        for (int j = 0; j < c->cols; j++, to++, from++)
            *to = !a->causal || j % keys <= i % tokens ? *from : 0;
    return c;
}
