/* unfused.c - attention in three operators, for variants that act between them:
   scores S = scale Q K', weights P = softmax(mask(S)), output O = P V.

   Scores and weights are matrices (tokens x heads*keys), head by
   head in its columns. A bias of scores depends on positions alone: the form of
   a head is then softmax(s x M y' + b) y N. */
#include <math.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/matrix.h"
#include "heart/operators.h"
#include "heart/positions.h"
#include "heart/rows.h"
#include "heart/tape.h"
#include "heart/unfused.h"

/* Head h of C in every sequence, as `at` has it; and that head of N which
   serves it. */
static Matrix
heads_of(const Node *c, int h, const Node *n, real *at)
{
    return batch(head_for(c, h, n, at, 0), c->sequences);
}

/* S_i = scale Q_i K_i' */
static void
scores_forward(Node *c)
{
    Node *q = c->in[0], *k = c->in[1];
    const double *scale = c->arguments;
    for (int h = 0; h < c->heads; h++)
        multiply(heads_of(c, h, c, c->value), heads_of(c, h, q, q->value),
                 transposed(heads_of(c, h, k, k->value)));
    for (size_t i = 0; i < size_of(c); i++)
        c->value[i] *= (real)*scale;
}

/* dQ_i += scale dS_i K_i,  dK_i += scale dS_i' Q_i */
static void
scores_backward(Node *c)
{
    Node *q = c->in[0], *k = c->in[1];
    const double *scale = c->arguments;
    for (size_t i = 0; i < size_of(c); i++)
        c->kept[i] = (real)*scale * c->gradient[i];
    for (int h = 0; h < c->heads; h++) {
        Matrix ds = heads_of(c, h, c, c->kept);
        if (q->trained)
            multiply_add(heads_of(c, h, q, gradient(q)), ds,
                         heads_of(c, h, k, k->value));
        if (k->trained)
            multiply_add(heads_of(c, h, k, gradient(k)), transposed(ds),
                         heads_of(c, h, q, q->value));
    }
}

const Operator scores_op = {"scores", scores_forward, scores_backward};

Node *
scores(Attention *a, Node *q, Node *k, double scale)
{
    Node *keyed = all_keys(a, k);
    check_scores("scores", q, keyed);
    int cols = q->heads * (keyed->rows / keyed->sequences);
    Node *s = make(&scores_op, OF(positioned(a, q, a->position), keyed),
                   (Made){.cols = cols,
                          .heads = q->heads,
                          WITH(scale),
                          .keeps = (size_t)q->rows * (size_t)cols});
    if (a->relative == ALIBI)
        s = fixed_bias(a, s, alibi);
    a->scored += s->heads;
    return s;
}

/* C = S + b(head, query, key), the same in all sequences. A query has to be
   left a key. */
static void
bias_forward(Node *c)
{
    const Added *b = c->arguments;
    const Attention *a = &b->attention;
    int tokens = c->rows / c->sequences, keys = c->cols / c->heads;
    int size = c->rows * c->cols, sequence = tokens * c->cols;
    memcpy(c->value, c->in[0]->value, (size_t)size * sizeof(real));
    for (int row = 0; row < tokens * c->heads; row++) {
        int h = row % c->heads, query = a->position + row / c->heads;
        bool left = false;
        for (int j = 0; j < keys; j++) {
            double bias = b->bias(a, h, query, j);
            left |= bias > -INFINITY && !(a->causal && j > query);
            for (int at = row * keys + j; at < size; at += sequence)
                c->value[at] += (real)bias;
        }
        if (!left)
            bug("fixed_bias: it masks every key of query %d of head %d, whose "
                "weights cannot sum to 1 then: leave it one, as the key at its "
                "own position",
                query, h);
    }
}

/* dS += dC: where it is masked dC is 0 */
static void
bias_backward(Node *c)
{
    pass_gradient(c, c->in[0]);
}

const Operator fixed_bias_op = {"fixed_bias", bias_forward, bias_backward};

Node *
fixed_bias(Attention *a, Node *s, Bias *bias)
{
    return make(&fixed_bias_op, OF(s), (Made){WITH((Added){*a, bias})});
}

/* P = softmax(mask(S)), and kept is what each row gives to its sink. */
static void
softmax_forward(Node *c)
{
    const int *causal = c->arguments;
    int keys = c->cols / c->heads, tokens = c->rows / c->sequences;
    memcpy(c->value, c->in[0]->value, size_of(c) * sizeof(real));
    for (int i = 0; i < c->rows * c->heads; i++) {
        int seen = keys_seen(*causal, i / c->heads % tokens, tokens, keys);
        real sink = (real)sink_of(c, i % c->heads);
        real beside = row_softmax(c->value + i * keys, seen, keys, sink);
        if (c->kept)
            c->kept[i] = beside;
    }
}

/* dS += P (dP - rowsum(P dP)), and with p the weight of a row's sink
   dSink += -p rowsum(P dP) */
static void
softmax_backward(Node *c)
{
    Node *s = c->in[0], *sink = c->inputs > 1 ? c->in[1] : NULL;
    int keys = c->cols / c->heads;
    const real *p = c->value, *dp = c->gradient;
    real *ds = s->trained ? gradient(s) : NULL;
    for (int i = 0; i < c->rows * c->heads; i++, p += keys, dp += keys) {
        real mean = row_dot(p, dp, keys);
        for (int j = 0; ds && j < keys; j++)
            ds[i * keys + j] += p[j] * (dp[j] - mean);
        if (sink && sink->trained)
            gradient(sink)[i % c->heads] -= c->kept[i] * mean;
    }
}

const Operator softmax_op = {"softmax", softmax_forward, softmax_backward};
const Operator softmax_sink_op = {"softmax_sink", softmax_forward,
                                  softmax_backward};

Node *
softmax(Attention *a, Node *s)
{
    check_mask("softmax", a, s, s->cols / s->heads);
    return make(&softmax_op, OF(s), (Made){WITH(a->causal)});
}

Node *
softmax_sink(Attention *a, Node *s, Node *sink)
{
    check_mask("softmax_sink", a, s, s->cols / s->heads);
    if (sink && (sink->rows != 1 || sink->cols != s->heads))
        mismatch("softmax_sink", s, sink,
                 "the sink is one number for each head");
    return make(
        &softmax_sink_op, (Node *[]){s, sink}, sink ? 2 : 1,
        (Made){WITH(a->causal), .keeps = (size_t)s->rows * (size_t)s->heads});
}

double
sink_of(const Node *weights, int head)
{
    if (weights->op != &softmax_sink_op)
        return -INFINITY;
    return weights->inputs > 1 ? (double)weights->in[1]->value[head] : 0;
}

/* O_i = P_i V_i */
static void
weights_forward(Node *c)
{
    Node *p = c->in[0], *v = c->in[1];
    for (int h = 0; h < c->heads; h++)
        multiply(heads_of(c, h, c, c->value), heads_of(c, h, p, p->value),
                 heads_of(c, h, v, v->value));
}

/* dP_i += dO_i V_i',  dV_i += P_i' dO_i */
static void
weights_backward(Node *c)
{
    Node *p = c->in[0], *v = c->in[1];
    for (int h = 0; h < c->heads; h++) {
        Matrix d = heads_of(c, h, c, c->gradient);
        if (p->trained)
            multiply_add(heads_of(c, h, p, gradient(p)), d,
                         transposed(heads_of(c, h, v, v->value)));
        if (v->trained)
            multiply_add(heads_of(c, h, v, gradient(v)),
                         transposed(heads_of(c, h, p, p->value)), d);
    }
}

const Operator apply_weights_op = {"apply_weights", weights_forward,
                                   weights_backward};

Node *
apply_weights(Attention *a, Node *p, Node *v)
{
    (void)a;
    v = all_rows(v);
    check_heads("apply_weights", p, v);
    if (p->cols / p->heads != v->rows / v->sequences)
        mismatch("apply_weights", p, v,
                 "each head of the weights has a column for each value");
    return make(&apply_weights_op, OF(p, v),
                (Made){.cols = p->heads * (v->cols / v->heads)});
}

Node *
attend_biased(Attention *a, Node *q, Node *k, Node *v, double scale, Bias *bias)
{
    Node *s = fixed_bias(a, scores(a, q, k, scale), bias);
    return apply_weights(a, softmax(a, s), v);
}

/* to += from where it is not masked */
static void
add_seen(const Node *c, real *to, const real *from)
{
    const int *causal = c->arguments;
    int tokens = c->rows / c->sequences, keys = c->cols / c->heads;
    for (int i = 0; i < c->rows; i++) {
        int seen = keys_seen(*causal, i % tokens, tokens, keys);
        for (int j = 0; j < c->cols; j++, to++, from++)
            *to += j % keys < seen ? *from : 0;
    }
}

/* C = A, and 0 where it is masked */
static void
mask_zero_forward(Node *c)
{
    memset(c->value, 0, size_of(c) * sizeof(real));
    add_seen(c, c->value, c->in[0]->value);
}

/* dA += dC where it is not masked */
static void
mask_zero_backward(Node *c)
{
    add_seen(c, gradient(c->in[0]), c->gradient);
}

Node *
mask_zero(Attention *a, Node *s)
{
    static const Operator op = {"mask_zero", mask_zero_forward,
                                mask_zero_backward};
    check_mask("mask_zero", a, s, s->cols / s->heads);
    return make(&op, OF(s), (Made){WITH(a->causal)});
}
