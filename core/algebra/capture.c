/* capture.c - what attention computed in a forward pass. */
#include <math.h>
#include <string.h>

#include "algebra/capture.h"
#include "config/positions.h"
#include "heart/attention.h"
#include "heart/composed.h"
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/matrix.h"
#include "heart/numbers.h"
#include "heart/operators.h"
#include "heart/plugin.h"
#include "heart/rows.h"
#include "heart/tape.h"

/* The number of an entry, with place for it. */
static int
entry(int *count, int most)
{
    if (*count == most)
        bug("a capture has place for %d calls of attend: take fewer layers, "
            "or fewer calls",
            MOST_CALLS);
    return (*count)++;
}

static void
enter_call(Capture *r, Call call)
{
    call.number = entry(&r->calls, MOST_CALLS);
    r->call[call.number] = call;
}

static void
record_keys(Capture *r, Node *keys)
{
    r->keys[entry(&r->key_count, 2 * MOST_CALLS)] = keys;
}

void
forward_earlier(const Variant *v, const Attention *a, Node *x, Node *y,
                Node **w)
{
    Attention earlier = *a;
    for (earlier.layer = 0; earlier.layer < a->layer; earlier.layer++)
        plugin_forward(v, &earlier, x, y, w);
}

Node *
unbiased(Node *s)
{
    while (s->op == &fixed_bias_op)
        s = s->in[0];
    return s;
}

double
sink_of(const Node *weights, int head)
{
    const Attended *with = weights->arguments;
    return weights->inputs > 1 ? (double)weights->in[1]->value[head]
                               : with->sink;
}

/* What a softmax made of scores: of a product, biases aside, if it can be said
   of which. */
static void
record_softmax(Capture *r, Node *weights)
{
    const Attended *with = weights->arguments;
    Call call = {.out = weights, .causal = with->causal, .scale = with->scale};
    const Node *n = unbiased(weights->in[0]);
    if (n->op == &scale_op.op) {
        call.scale *= *(const double *)n->arguments;
        n = n->in[0];
    }
    if (n->op == &scores_op.op) {
        call.q = before_rope(n->in[0]);
        call.k = before_rope(n->in[1]);
    }
    call.first = r->softmax_heads;
    enter_call(r, call);
    r->softmaxes++;
    r->softmax_heads += weights->heads;
    if (r->replaced != UNIT_WEIGHTS || !weights->value)
        return;
    memset(weights->value, 0, size_of(weights) * sizeof(real));
    for (int h = 0; h < weights->heads && call.first + h < weights->rows; h++)
        *head_of(weights, weights->value + (call.first + h) * weights->cols, 0,
                 h)
             .at = 1;
}

static void
record_sum(Capture *r, Sum sum)
{
    Node *out = sum.out;
    bool identity = r->sums == r->replaced;
    record_keys(r, sum.v);
    r->sum[entry(&r->sums, MOST_CALLS)] = sum;
    for (int i = 0; r->replaced >= 0 && out->value && i < out->rows; i++)
        for (int j = 0; j < out->cols; j++)
            out->value[(size_t)i * out->cols + (size_t)j] = identity && i == j;
}

static void
record_attend(Capture *r, Node *n)
{
    const Attended *with = n->arguments;
    enter_call(r, (Call){before_rope(n->in[0]), before_rope(n->in[1]), n->in[2],
                         n, .scale = with->scale, .causal = with->causal});
    record_keys(r, before_rope(n->in[1]));
    record_sum(r, (Sum){NULL, n->in[2], n, r->calls - 1});
}

static void
capture_node(void *capture, Node *n)
{
    Capture *r = capture;
    if (n->op == &attend_op)
        record_attend(r, n);
    else if (n->op == &scores_op.op)
        record_keys(r, before_rope(n->in[1]));
    else if (n->op == &softmax_op)
        record_softmax(r, n);
    else if (n->op == &apply_weights_op.op)
        record_sum(r, (Sum){n->in[0], n->in[1], n, -1});
    r->rotated |= !strcmp(n->op->name, "rotate");
}

void
capture_start(Capture *r, Tape *t)
{
    t->watch = capture_node;
    t->to = r;
}

void
record_place(Capture *r, Place place)
{
    const Place *before = r->places ? &r->place[r->places - 1] : NULL;
    int last = r->calls;
    place.first = before ? before->first + before->calls : 0;
    place.calls = last - place.first;
    for (Node *n = backward_order(place.out->root); n; n = n->next)
        for (int i = place.first; i < last; i++)
            if (r->call[i].out == n) {
                Call call = r->call[--last];
                r->call[last] = r->call[i];
                r->call[i] = call;
            }
    r->place[entry(&r->places, MOST_CALLS)] = place;
}

/* The scores of head `head` of a sequence, from queries and keys as attend
   multiplied them: rotated, if it did that. */
static void
call_scores(const Call *c, int sequence, int head, double *scores)
{
    const Node *qs = c->out->in[0], *ks = c->out->in[1];
    Matrix q = head_of(qs, qs->value, sequence, head);
    Matrix k = head_of(ks, ks->value, sequence, head / (qs->heads / ks->heads));
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) {
            double s =
                j < keys_seen(c->causal, i, q.rows, k.rows) ? 0 : -INFINITY;
            for (int l = 0; l < q.cols; l++)
                s += c->scale * (double)q.at[i * q.down + l] *
                     (double)k.at[j * k.down + l];
            scores[i * k.rows + j] = s;
        }
}

/* p = softmax(s); both may be the same row. */
static void
softmax_of(const double *s, double *p, int count)
{
    double most = -INFINITY, sum = 0;
    for (int j = 0; j < count; j++)
        most = fmax(most, s[j]);
    for (int j = 0; j < count; j++)
        sum += p[j] = most - s[j] >= 700 ? 0 : decay(most - s[j]);
    for (int j = 0; j < count; j++)
        p[j] /= sum;
}

int
call_queries(const Call *c)
{
    return c->out->rows / c->out->sequences;
}

int
call_keys(const Call *c)
{
    return c->v ? c->k->rows / c->k->sequences : c->out->cols / c->out->heads;
}

void
call_weights(const Call *c, int sequence, int head, double *scores,
             double *weights)
{
    int queries = call_queries(c), keys = call_keys(c);
    double *from = scores ? scores : weights;
    if (c->v) {
        call_scores(c, sequence, head, from);
        for (int i = 0; i < queries; i++)
            softmax_of(from + i * keys, weights + i * keys, keys);
        return;
    }
    const Node *of = c->out->in[0];
    Matrix s = head_of(of, of->value, sequence, head);
    Matrix p = head_of(c->out, c->out->value, sequence, head);
    for (int i = 0; i < queries * keys; i++) {
        int at = i / keys * p.down + i % keys;
        from[i] = i % keys < keys_seen(c->causal, i / keys, queries, keys)
                      ? (double)s.at[at]
                      : -INFINITY;
        weights[i] = (double)p.at[at];
    }
}

int
capture_heads(const Capture *r, int place)
{
    const Place *p = &r->place[place];
    int heads = 0;
    for (int i = p->first; i < p->first + p->calls; i++)
        heads += r->call[i].out->heads;
    return heads;
}

const Call *
capture_head(const Capture *r, int place, int head, int *own)
{
    const Call *c = &r->call[r->place[place].first];
    for (; head >= c->out->heads; c++)
        head -= c->out->heads;
    *own = head;
    return c;
}

void
capture_weights(const Capture *r, int place, int head, int sequence,
                double *weights)
{
    const Call *c = capture_head(r, place, head, &head);
    call_weights(c, sequence, head, NULL, weights);
}

/* Of head `head` of n, how many entries are beyond the smallest and the largest
   in the same column of the same sequence of `of`. */
static double
beyond(const Node *n, int head, const Node *of, int of_head)
{
    double count = 0;
    for (int s = 0; s < n->sequences; s++) {
        Matrix x = head_of(n, n->value, s, head);
        Matrix y = head_of(of, of->value, s, of_head);
        for (int j = 0; j < x.cols; j++) {
            double least = INFINITY, most = -INFINITY;
            for (int i = 0; i < y.rows; i++) {
                least = fmin(least, (double)y.at[i * y.down + j]);
                most = fmax(most, (double)y.at[i * y.down + j]);
            }
            double rounding = 1e-5 * (most - least) + 1e-12;
            for (int i = 0; i < x.rows; i++) {
                double at = (double)x.at[i * x.down + j];
                count += !(at >= least - rounding && at <= most + rounding);
            } /* a NaN is beyond too */
        }
    }
    return count;
}

/* Was it weighted by that call? */
static bool
weighted_by(const Sum *s, const Call *c)
{
    return s->p ? s->p == c->out : s->call == c->number;
}

Range
capture_range(const Capture *r, int place)
{
    const Place *p = &r->place[place];
    Range range = {.outputs = (double)size_of(p->out)};
    for (int i = p->first; i < p->first + p->calls; i++)
        for (const Sum *s = r->sum; s < r->sum + r->sums; s++) {
            if (!weighted_by(s, &r->call[i]))
                continue;
            int heads = s->out->heads, group = heads / s->v->heads;
            bool wide = s->p && s->out->cols / heads == p->y->cols;
            for (int h = 0; h < heads; h++)
                range.sums_beyond += wide ? beyond(s->out, h, p->y, 0)
                                          : beyond(s->out, h, s->v, h / group);
            range.sums += (double)size_of(s->out);
        }
    range.outputs_beyond = beyond(p->out, 0, p->y, 0);
    return range;
}
