/* attention.c - scaled dot-product attention in three steps.

   "Attention Is All You Need", equation 1, for every head of every sequence:
   scores S = scale Q K', weights P = softmax(mask(S)), output O = P V. These
   are three operators, scores, softmax and apply_weights, for variants that act
   between them; attend (composed.c) is all three.

   Scores and weights are matrices (tokens x heads*keys), head by head in their
   columns. A bias of scores depends on positions only: the form of a head is
   then softmax(s x M y' + b) y N. */
#include <math.h>
#include <string.h>

#include "heart/attention.h"
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/rows.h"
#include "heart/tape.h"

Node *
positioned(const Attention *a, Node *n, int position)
{
    const Relative *by = a->relative;
    return by && by->rotated ? by->rotated(n, position) : n;
}

/* All rows so far of n, where a decoder keeps rows (Keeper, tape.h); else n. If
   n is keys, `of` is the attention that scores them, and they are rotated for
   it; otherwise `of` is NULL. */
static Node *
all_rows(const Attention *of, Node *n)
{
    Keeper *k = n->tape->keeper;
    return k ? k->all_rows(k, of, n) : of ? positioned(of, n, 0) : n;
}

Node *
cached(Node *n)
{
    return all_rows(NULL, n);
}

/* Aborts where the heads of q and k, or q and v, do not fit; or, if they do,
   where `fit` says that something else does not. */
static void
check_fit(const char *name, const Node *q, const Node *k, bool fit,
          const char *wanted)
{
    if (q->heads % k->heads || q->sequences != k->sequences)
        mismatch(name, q, k,
                 "the heads of the second divide those of the first, and "
                 "sequences are equally many; split gives a matrix its heads");
    if (!fit)
        mismatch(name, q, k, wanted);
}

/* Queries and keys, as scores need them. */
static void
prepare(const char *name, const Attention *a, Node **q, Node **k)
{
    *q = positioned(a, *q, a->position);
    *k = all_rows(a, *k);
    check_fit(name, *q, *k,
              (*q)->cols / (*q)->heads == (*k)->cols / (*k)->heads,
              "queries and keys are equally wide in each head");
}

static void
check_mask(const char *name, const Attention *a, const Node *q, int keys)
{
    const Keeper *k = q->tape->keeper;
    int tokens = q->rows / q->sequences + (k ? k->earlier : 0);
    if (a->causal && tokens != keys)
        bug("%s: a causal mask needs as many keys as queries, not %d and %d",
            name, keys, tokens);
}

/* S_h = Q_h K_h',  O_h = P_h V_h */
const Product scores_op = {
    {"scores", PRODUCT}, .part = head_for, .transposed = true};
const Product apply_weights_op = {{"apply_weights", PRODUCT}, .part = head_for};

Node *
raw_scores(Node *q, Node *k)
{
    return make(&scores_op.op, OF(q, k),
                (Made){.cols = q->heads * (k->rows / k->sequences)});
}

Node *
weighted_sum(Node *p, Node *v)
{
    return make(&apply_weights_op.op, OF(p, v),
                (Made){.cols = p->heads * (v->cols / v->heads)});
}

Node *
scores(Attention *a, Node *q, Node *k, double factor)
{
    prepare("scores", a, &q, &k);
    Node *s = scale(raw_scores(q, k), factor);
    if (a->relative && a->relative->bias)
        s = fixed_bias(a, s, a->relative->bias);
    a->scored += s->heads;
    return s;
}

Node *
apply_weights(Attention *a, Node *p, Node *v)
{
    (void)a;
    v = all_rows(NULL, v);
    check_fit("apply_weights", p, v,
              p->cols / p->heads == v->rows / v->sequences,
              "each head of the weights has a column for each value");
    return weighted_sum(p, v);
}

/* C = S + b(head, query, key), the same in all sequences. */
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
        for (int j = 0; j < keys; j++) {
            double bias = b->bias(a, h, query, j);
            for (int at = row * keys + j; at < size; at += sequence)
                c->value[at] += (real)bias;
        }
    }
}

/* dS += dC: where it is masked dC is 0 */
static void
bias_backward(Node *c)
{
    add_gradient(c->in[0], c->gradient);
}

const Operator fixed_bias_op = {"fixed_bias", bias_forward, bias_backward};

Node *
fixed_bias(Attention *a, Node *s, Bias *bias)
{
    return make(&fixed_bias_op, OF(s), (Made){WITH((Added){*a, bias})});
}

Node *
attend_biased(Attention *a, Node *q, Node *k, Node *v, double scale, Bias *bias)
{
    Node *s = fixed_bias(a, scores(a, q, k, scale), bias);
    return apply_weights(a, softmax(a, s), v);
}

/* P = softmax(mask(scale S)), and kept is what each row gives to its sink.
   Fixed biases have to leave each query a key, or its weights are 0 / 0. */
static void
softmax_forward(Node *c)
{
    const Attended *with = c->arguments;
    int keys = c->cols / c->heads, tokens = c->rows / c->sequences;
    for (int i = 0; i < c->rows * c->heads; i++) {
        int seen = keys_seen(with->causal, i / c->heads % tokens, tokens, keys);
        real sink =
            c->inputs > 1 ? c->in[1]->value[i % c->heads] : (real)with->sink;
        real *p = c->value + i * keys, *s = c->in[0]->value + i * keys;
        for (int j = 0; j < keys; j++)
            p[j] = (real)with->scale * s[j];
        real beside = row_softmax(p, seen, keys, sink);
        if (isnan(*p) && row_max(s, seen) == -INFINITY)
            bug("softmax: every key of query %d of head %d is masked: leave it "
                "one, as the key at its own position",
                i / c->heads % tokens, i % c->heads);
        if (c->kept)
            c->kept[i] = beside;
    }
}

/* Of row i: dS += scale P (dP - rowsum(P dP)), and with p the weight of its
   sink dSink += -p rowsum(P dP) */
void
softmax_row_backward(Node *c, int i)
{
    const Attended *with = c->arguments;
    Node *s = c->in[0], *sink = c->inputs > 1 ? c->in[1] : NULL;
    int keys = c->cols / c->heads;
    const real *p = c->value + i * keys, *dp = c->gradient + i * keys;
    real *ds = s->trained ? gradient(s) + i * keys : NULL;
    real mean = row_dot(p, dp, keys);
    for (int j = 0; ds && j < keys; j++)
        ds[j] += (real)with->scale * p[j] * (dp[j] - mean);
    if (sink && sink->trained)
        gradient(sink)[i % c->heads] -= c->kept[i] * mean;
}

static void
softmax_backward(Node *c)
{
    for (int i = 0; i < c->rows * c->heads; i++)
        softmax_row_backward(c, i);
}

const Operator softmax_op = {"softmax", softmax_forward, softmax_backward};

/* With a sink that is learned, one that is a number, or none. */
static Node *
softmax_node(const char *name, Attention *a, Node *s, Node *sink, double number)
{
    check_mask(name, a, s, s->cols / s->heads);
    if (sink && (sink->rows != 1 || sink->cols != s->heads))
        mismatch(name, s, sink, "the sink is one number for each head");
    return make(&softmax_op, (Node *[]){s, sink}, sink ? 2 : 1,
                (Made){WITH((Attended){1, a->causal, number}),
                       .keeps = sink ? (size_t)s->rows * (size_t)s->heads : 0});
}

Node *
softmax(Attention *a, Node *s)
{
    return softmax_node("softmax", a, s, NULL, -INFINITY);
}

Node *
softmax_sink(Attention *a, Node *s, Node *sink)
{
    return softmax_node("softmax_sink", a, s, sink, 0);
}

/* C = A where it is not masked, else 0 */
static void
add_seen(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    (void)k;
    const Attended *with = c->arguments;
    int tokens = c->rows / c->sequences, keys = c->cols / c->heads;
    for (int i = 0; i < c->rows * c->heads; i++, of_c += keys, of_a += keys)
        add_between(
            of_c, of_a,
            keys_seen(with->causal, i / c->heads % tokens, tokens, keys), back);
}

const Linear mask_zero_op = {{"mask_zero", LINEAR}, add_seen};

Node *
mask_zero(Attention *a, Node *s)
{
    check_mask("mask_zero", a, s, s->cols / s->heads);
    return make(&mask_zero_op.op, OF(s),
                (Made){WITH((Attended){.causal = a->causal})});
}

void
attend_operands(const Attention *a, Node **q, Node **k, Node **v)
{
    prepare("attend", a, q, k);
    *v = all_rows(NULL, *v);
    check_mask("attend", a, *q, (*k)->rows / (*k)->sequences);
    check_fit("attend", *q, *v, (*v)->rows == (*k)->rows,
              "the second, which are values, has a row for each key");
}
