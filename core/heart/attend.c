/* attend.c - the forward and the backward pass of attention, head by head.

   Shapes, of one head of one sequence: q (tokens x d), k (keys x d), v (keys x
   d_v), the weights p and the gradient ds of the scores (tokens x keys), out
   (tokens x d_v). Each product is that of every sequence (a batch). */
#include <math.h>

#include "heart/attend.h"
#include "heart/heads.h"
#include "heart/rows.h"

size_t
attend_keeps(Node *const *in)
{
    const Node *q = in[0], *k = in[1];
    return 2 * (size_t)(q->rows * q->heads) * (size_t)(k->rows / k->sequences);
}

/* The weights P of head h, in c->kept. The gradients of the scores of all heads
   are behind the weights of all. */
static Matrix
weights_of(const Node *c, int h)
{
    int tokens = c->rows / c->sequences, keys = c->in[1]->rows / c->sequences;
    Matrix p =
        matrix(c->kept + (ptrdiff_t)h * c->rows * keys, tokens, keys, keys);
    p.step = tokens * keys;
    p.count = c->sequences;
    return p;
}

/* P = softmax(mask(scale Q K')),  O = P V */
static void
head_forward(Node *c, int h)
{
    const Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    const Attended *with = c->arguments;
    Matrix p = weights_of(c, h);
    multiply(p, head_for(c, h, q, q->value),
             transposed(head_for(c, h, k, k->value)));
    for (int i = 0; i < c->rows; i++) {
        real *row = p.at + i * p.cols;
        for (int j = 0; j < p.cols; j++)
            row[j] *= (real)with->scale;
        row_softmax(row, keys_seen(with->causal, i % p.rows, p.rows, p.cols),
                    p.cols, -INFINITY);
    }
    multiply(head_for(c, h, c, c->value), p, head_for(c, h, v, v->value));
}

/* dS = scale P (dP - rowsum(P dP)), in the place of dP */
static void
scores_gradient(real *ds, const real *p, int rows, int keys, real scale)
{
    for (int i = 0; i < rows; i++, p += keys, ds += keys) {
        real mean = row_dot(p, ds, keys);
        for (int j = 0; j < keys; j++)
            ds[j] = scale * p[j] * (ds[j] - mean);
    }
}

/* The steps again, the last one first, for `count` queries from `first` on:
   dV += P' dO,  dP = dO V',  then dS,  dQ += dS K,  dK += dS' Q */
static void
rows_backward(Node *c, int h, int first, int count)
{
    Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    const Attended *with = c->arguments;
    Matrix p = some_rows(weights_of(c, h), first, count), ds = p;
    ds.at += (ptrdiff_t)c->heads * c->rows * p.cols;
    Matrix d = some_rows(head_for(c, h, c, c->gradient), first, count);
    if (v->trained)
        multiply_add(head_for(c, h, v, gradient(v)), transposed(p), d);
    multiply(ds, d, transposed(head_for(c, h, v, v->value)));
    for (int s = 0; s < c->sequences; s++)
        scores_gradient(ds.at + s * ds.step, p.at + s * p.step, count, p.cols,
                        (real)with->scale);
    if (q->trained)
        multiply_add(some_rows(head_for(c, h, q, gradient(q)), first, count),
                     ds, head_for(c, h, k, k->value));
    if (k->trained)
        multiply_add(head_for(c, h, k, gradient(k)), transposed(ds),
                     some_rows(head_for(c, h, q, q->value), first, count));
}

void
attend_forward(Node *c)
{
    for (int h = 0; h < c->heads; h++)
        head_forward(c, h);
}

/* All queries of a head at once; but 32 at a time where there are more than 64
   keys: where q, k or v are one node, its gradient is added up in this order.
 */
void
attend_backward(Node *c)
{
    int tokens = c->rows / c->sequences, keys = c->in[1]->rows / c->sequences;
    int each = keys > 64 ? 32 : tokens;
    for (int h = 0; h < c->heads; h++)
        for (int i = 0; i < tokens; i += each)
            rows_backward(c, h, i, i + each < tokens ? each : tokens - i);
}
