/* recording.c - what attention computed in a forward pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/elementary.h"
#include "math/matrix.h"
#include "tape/attend.h"
#include "tape/recording.h"
#include "tape/tape.h"

static void
enter(Recording *r, Call call)
{
    call.number = r->calls++;
    if (call.number < MOST_CALLS)
        r->call[call.number] = call;
}

void
record_keys(Recording *r, Node *keys)
{
    if (r->key_count++ < 2 * MOST_CALLS)
        r->keys[r->key_count - 1] = keys;
}

void
record_softmax(Recording *r, Call call)
{
    Node *weights = call.out;
    call.first = r->softmax_heads;
    enter(r, call);
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

void
record_sum(Recording *r, Sum sum)
{
    Node *out = sum.out;
    bool identity = r->sums == r->replaced;
    record_keys(r, sum.v);
    if (r->sums++ < MOST_CALLS)
        r->sum[r->sums - 1] = sum;
    for (int i = 0; r->replaced >= 0 && out->value && i < out->rows; i++)
        for (int j = 0; j < out->cols; j++)
            out->value[(size_t)i * (size_t)out->cols + (size_t)j] =
                identity && i == j;
}

void
record_call(Recording *r, Call call)
{
    enter(r, call);
    record_keys(r, call.k);
    record_sum(r, (Sum){NULL, call.v, call.out, r->calls - 1});
}

void
record_place(Recording *r, Place place)
{
    int last = r->calls < MOST_CALLS ? r->calls : MOST_CALLS;
    if (r->places == MOST_CALLS)
        return;
    if (r->places)
        place.first =
            r->place[r->places - 1].first + r->place[r->places - 1].calls;
    place.calls = last - place.first;
    for (Node *n = backward_order(place.out->root); n; n = n->next)
        for (int i = place.first; i < last; i++)
            if (r->call[i].out == n) {
                Call call = r->call[--last];
                r->call[last] = r->call[i];
                r->call[i] = call;
            }
    r->place[r->places++] = place;
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
            double s = c->causal && j > i ? -INFINITY : 0;
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
        from[i] =
            c->causal && i % keys > i / keys ? -INFINITY : (double)s.at[at];
        weights[i] = (double)p.at[at];
    }
}

int
recording_heads(const Recording *r, int place)
{
    const Place *p = &r->place[place];
    int heads = 0;
    for (int i = p->first; i < p->first + p->calls; i++)
        heads += r->call[i].out->heads;
    return heads;
}

const Call *
recording_head(const Recording *r, int place, int head, int *own)
{
    const Call *c = &r->call[r->place[place].first];
    for (; head >= c->out->heads; c++)
        head -= c->out->heads;
    *own = head;
    return c;
}

void
recording_weights(const Recording *r, int place, int head, int sequence,
                  double *weights)
{
    const Call *c = recording_head(r, place, head, &head);
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

/* The sums that a call of attend returns. */
static void
range_of_call(const Call *c, Range *r)
{
    for (int h = 0; h < c->q->heads; h++)
        r->sums_beyond +=
            beyond(c->out, h, c->v, h / (c->q->heads / c->v->heads));
    r->sums += (double)size_of(c->out);
}

/* The products of a softmax's weights with something. */
static void
range_of_products(const Place *p, const Node *weights, Range *r)
{
    for (const Node *n = p->out; n; n = n->previous) {
        if (n->inputs != 2 || n->in[0] != weights)
            continue;
        const Node *v = n->in[1], *y = p->y;
        bool wide = n->cols / n->heads == y->cols;
        for (int h = 0; h < n->heads; h++)
            r->sums_beyond += wide ? beyond(n, h, y, 0)
                                   : beyond(n, h, v, h / (n->heads / v->heads));
        r->sums += (double)size_of(n);
    }
}

Range
recording_range(const Recording *r, int place)
{
    const Place *p = &r->place[place];
    Range range = {.outputs = (double)size_of(p->out)};
    for (int i = p->first; i < p->first + p->calls; i++)
        if (r->call[i].v)
            range_of_call(&r->call[i], &range);
        else
            range_of_products(p, r->call[i].out, &range);
    range.outputs_beyond = beyond(p->out, 0, p->y, 0);
    return range;
}
