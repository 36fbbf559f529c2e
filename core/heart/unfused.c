/* unfused.c - attention in three operators, for variants that act between them:
   scores S = scale Q K', weights P = softmax(mask(S)), output O = P V.

   Scores and weights are matrices (tokens x heads*keys), head by
   head in its columns. A bias of scores depends on positions alone: the form of
   a head is then softmax(s x M y' + b) y N. */
#include <math.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/label.h"
#include "heart/matrix.h"
#include "heart/operators.h"
#include "heart/positions.h"
#include "heart/rows.h"
#include "heart/tape.h"
#include "heart/unfused.h"

/* Head h of a matrix with n's shape, in every sequence. */
static Matrix
heads_of(const Node *n, real *at, int h)
{
    return batch(head_of(n, at, 0, h), n->sequences);
}

/* S_i = scale Q_i K_i' */
static void
scores_forward(Node *c)
{
    Node *q = c->in[0], *k = c->in[1];
    const double *scale = c->arguments;
    int group = q->heads / k->heads;
    for (int h = 0; h < q->heads; h++)
        multiply(heads_of(c, c->value, h), heads_of(q, q->value, h),
                 transposed(heads_of(k, k->value, h / group)));
    for (size_t i = 0; i < size_of(c); i++)
        c->value[i] *= (real)*scale;
}

/* dQ_i += scale dS_i K_i,  dK_i += scale dS_i' Q_i */
static void
scores_backward(Node *c)
{
    Node *q = c->in[0], *k = c->in[1];
    const double *scale = c->arguments;
    int group = q->heads / k->heads;
    for (size_t i = 0; i < size_of(c); i++)
        c->kept[i] = (real)*scale * c->gradient[i];
    for (int h = 0; h < q->heads; h++) {
        Matrix ds = heads_of(c, c->kept, h);
        if (q->trained)
            multiply_add(heads_of(q, gradient(q), h), ds,
                         heads_of(k, k->value, h / group));
        if (k->trained)
            multiply_add(heads_of(k, gradient(k), h / group), transposed(ds),
                         heads_of(q, q->value, h));
    }
}

static const Operator product = {"scores", scores_forward, scores_backward};

bool
is_scores(const Node *n)
{
    return n->op == &product;
}

Node *
scores(Attention *a, Node *q, Node *k, double scale)
{
    Node *keyed = all_keys(a, k);
    check_scores("scores", q, keyed);
    q = positioned(a, q, a->position);
    int keys = keyed->rows / keyed->sequences;
    Node *s =
        new_node(&product, q->rows, q->heads * keys, (Node *[]){q, keyed}, 2);
    s->heads = q->heads;
    s->kept = keep(s, size_of(s));
    keep_arguments(s, &scale, sizeof scale);
    compute(s);
    if (a->relative == ALIBI)
        s = fixed_bias(a, s, alibi);
    a->scored += s->heads;
    return s;
}

/* C = S + b of head h, query i and `count` keys from j on, in all sequences. */
static void
add_entries(Node *c, int h, int i, int j, const real *b, int count)
{
    Node *s = c->in[0];
    size_t tokens = (size_t)(c->rows / c->sequences), cols = (size_t)c->cols;
    size_t at = (size_t)i * cols + (size_t)h * (c->cols / c->heads) + (size_t)j;
    for (; at < size_of(c); at += tokens * cols)
        for (int l = 0; l < count; l++)
            c->value[at + (size_t)l] = s->value[at + (size_t)l] + b[l];
}

/* Adds the bias of head h to query i, of which it has to leave a key. */
static void
add_bias(Node *c, int h, int i)
{
    enum { AT_ONCE = 64 };
    const Added *b = c->arguments;
    const Attention *a = &b->attention;
    int keys = c->cols / c->heads, query = a->position + i;
    bool left = false;
    for (int j = 0, count; j < keys; j += count) {
        real entries[AT_ONCE];
        count = keys - j < AT_ONCE ? keys - j : AT_ONCE;
        for (int l = 0; l < count; l++) {
            double bias = b->bias(a, h, query, j + l);
            entries[l] = (real)bias;
            left |= bias > -INFINITY && !(a->causal && j + l > query);
        }
        add_entries(c, h, i, j, entries, count);
    }
    if (!left)
        bug("fixed_bias: it masks every key of query %d of head %d, whose "
            "weights cannot sum to 1 then: leave it one, as the key at its own "
            "position",
            query, h);
}

/* C = S + b(head, query, key) */
static void
fixed_bias_forward(Node *c)
{
    for (int h = 0; h < c->heads; h++)
        for (int i = 0; i < c->rows / c->sequences; i++)
            add_bias(c, h, i);
}

/* dS += dC: where it is masked dC is 0 */
static void
fixed_bias_backward(Node *c)
{
    pass_gradient(c, c->in[0]);
}

static const Operator by_position = {"fixed_bias", fixed_bias_forward,
                                     fixed_bias_backward};

Node *
fixed_bias(Attention *a, Node *s, Bias *bias)
{
    Node *c = new_node(&by_position, s->rows, s->cols, &s, 1);
    c->heads = s->heads;
    keep_arguments(c, &(Added){*a, .bias = bias}, sizeof(Added));
    return compute(c);
}

/* C = S + Table[head][bucket(query, key)] */
static void
score_bias_forward(Node *c)
{
    const Added *b = c->arguments;
    const Node *table = c->in[1];
    int tokens = c->rows / c->sequences, keys = c->cols / c->heads;
    for (int i = 0; i < tokens; i++)
        for (int j = 0; j < keys; j++) {
            int query = b->attention.position + i;
            int at = b->bucket(&b->attention, query, j);
            if (at < 0 || at >= table->cols)
                bug("score_bias: bucket %d of query %d and key %d in a table "
                    "(%d x %d)",
                    at, query, j, table->rows, table->cols);
            const real *entry = table->value + at;
            for (int h = 0; h < c->heads; h++)
                add_entries(c, h, i, j,
                            entry + (table->rows == 1 ? 0 : h) * table->cols,
                            1);
        }
}

/* dS += dC,  dTable[head][bucket] += dC of all that it was added to */
static void
score_bias_backward(Node *c)
{
    const Added *b = c->arguments;
    Node *s = c->in[0], *table = c->in[1];
    int tokens = c->rows / c->sequences, keys = c->cols / c->heads;
    real *d = table->trained ? gradient(table) : NULL;
    const real *dc = c->gradient;
    for (int i = 0; d && i < c->rows; i++)
        for (int h = 0; h < c->heads; h++)
            for (int j = 0; j < keys; j++) {
                int query = b->attention.position + i % tokens;
                int at = b->bucket(&b->attention, query, j);
                d[(table->rows == 1 ? 0 : h) * table->cols + at] += *dc++;
            }
    if (s->trained)
        pass_gradient(c, s);
}

static const Operator by_bucket = {"score_bias", score_bias_forward,
                                   score_bias_backward};

Node *
score_bias(Attention *a, Node *s, Node *table, Bucket *bucket)
{
    if (table->rows != 1 && table->rows != s->heads)
        bug("score_bias: scores (%d x %d) of %d heads and a table %s do not "
            "fit: it has a row for each head, or one for all",
            s->rows, s->cols, s->heads, label(table).text);
    Node *c = new_node(&by_bucket, s->rows, s->cols, (Node *[]){s, table}, 2);
    c->heads = s->heads;
    keep_arguments(c, &(Added){*a, .bucket = bucket}, sizeof(Added));
    return compute(c);
}

bool
has_bias(const Node *n)
{
    return n->op == &by_position || n->op == &by_bucket;
}

Bias *
bias_of(const Node *n)
{
    return n->op == &by_position ? ((const Added *)n->arguments)->bias : NULL;
}

Node *
unbiased(Node *s)
{
    while (has_bias(s))
        s = s->in[0];
    return s;
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

static const Operator beside_nothing = {"softmax", softmax_forward,
                                        softmax_backward};
static const Operator beside_sink = {"softmax_sink", softmax_forward,
                                     softmax_backward};

Node *
softmax(Attention *a, Node *s)
{
    check_mask("softmax", a, s, s->cols / s->heads);
    return make(&beside_nothing, OF(s), (Made){WITH(a->causal)});
}

Node *
softmax_sink(Attention *a, Node *s, Node *sink)
{
    check_mask("softmax_sink", a, s, s->cols / s->heads);
    if (sink && (sink->rows != 1 || sink->cols != s->heads))
        misfit("softmax_sink", s, sink, "the sink is one number for each head");
    return make(
        &beside_sink, (Node *[]){s, sink}, sink ? 2 : 1,
        (Made){WITH(a->causal), .keeps = (size_t)s->rows * (size_t)s->heads});
}

double
sink_of(const Node *weights, int head)
{
    if (weights->op != &beside_sink)
        return -INFINITY;
    return weights->inputs > 1 ? (double)weights->in[1]->value[head] : 0;
}

/* O_i = P_i V_i */
static void
weights_forward(Node *c)
{
    Node *p = c->in[0], *v = c->in[1];
    int group = p->heads / v->heads;
    for (int h = 0; h < p->heads; h++)
        multiply(heads_of(c, c->value, h), heads_of(p, p->value, h),
                 heads_of(v, v->value, h / group));
}

/* dP_i += dO_i V_i',  dV_i += P_i' dO_i */
static void
weights_backward(Node *c)
{
    Node *p = c->in[0], *v = c->in[1];
    int group = p->heads / v->heads;
    for (int h = 0; h < p->heads; h++) {
        Matrix d = heads_of(c, c->gradient, h);
        if (p->trained)
            multiply_add(heads_of(p, gradient(p), h), d,
                         transposed(heads_of(v, v->value, h / group)));
        if (v->trained)
            multiply_add(heads_of(v, gradient(v), h / group),
                         transposed(heads_of(p, p->value, h)), d);
    }
}

Node *
apply_weights(Attention *a, Node *p, Node *v)
{
    (void)a;
    static const Operator op = {"apply_weights", weights_forward,
                                weights_backward};
    v = all_rows(v);
    check_heads("apply_weights", p, v);
    if (p->cols / p->heads != v->rows / v->sequences)
        bug("apply_weights: weights (%d x %d) of %d heads and values (%d x %d) "
            "in %d sequences do not fit",
            p->rows, p->cols, p->heads, v->rows, v->cols, v->sequences);
    Node *c = new_node(&op, p->rows, p->heads * (v->cols / v->heads),
                       (Node *[]){p, v}, 2);
    c->heads = p->heads;
    return compute(c);
}

Node *
attend_biased(Attention *a, Node *q, Node *k, Node *v, double scale, Bias *bias)
{
    Node *s = fixed_bias(a, scores(a, q, k, scale), bias);
    return apply_weights(a, softmax(a, s), v);
}

/* C = A, and 0 where it is masked */
static void
mask_zero_forward(Node *c)
{
    const int *causal = c->arguments;
    int tokens = c->rows / c->sequences, keys = c->cols / c->heads;
    real *to = c->value;
    const real *from = c->in[0]->value;
    for (int i = 0; i < c->rows; i++) {
        int seen = keys_seen(*causal, i % tokens, tokens, keys);
        for (int j = 0; j < c->cols; j++, to++, from++)
            *to = j % keys < seen ? *from : 0;
    }
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
    for (int i = 0; i < c->rows; i++) {
        int seen = keys_seen(*causal, i % tokens, tokens, keys);
        for (int j = 0; j < c->cols; j++, d++, dc++)
            *d += j % keys < seen ? *dc : 0;
    }
}

Node *
mask_zero(Attention *a, Node *s)
{
    static const Operator op = {"mask_zero", mask_zero_forward,
                                mask_zero_backward};
    check_mask("mask_zero", a, s, s->cols / s->heads);
    Node *c = new_node(&op, s->rows, s->cols, &s, 1);
    c->heads = s->heads;
    keep_arguments(c, &a->causal, sizeof a->causal);
    return compute(c);
}
