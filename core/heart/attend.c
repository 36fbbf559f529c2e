/* attend.c - attention in four steps over the queries of a head.

   Shapes, of one head of one sequence: q (tokens x d), k (keys x d), v (keys x
   d_v), the weights p and the gradient ds of the scores (tokens x keys), out
   (tokens x d_v). */
#include <math.h>

#include "heart/attend.h"
#include "heart/heads.h"
#include "heart/rows.h"

size_t
attend_keeps(const Node *c)
{
    const Node *q = c->in[0], *k = c->in[1];
    return 2 * (size_t)(q->rows * q->heads) * (size_t)(k->rows / k->sequences);
}

/* A head's weights P in c->kept, and behind them the gradient of its scores. */
static Matrix
weights_of(const Node *c, int s, int h)
{
    const Node *k = c->in[1];
    int tokens = c->rows / c->sequences, keys = k->rows / k->sequences;
    int number = s * c->heads + h;
    return matrix(c->kept + 2 * number * tokens * keys, tokens, keys, keys);
}

/* P = softmax(mask(scale Q K')),  O = P V */
static void
head_forward(Node *c, int s, int h)
{
    const Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    const Attended *with = c->arguments;
    Matrix p = weights_of(c, s, h);
    multiply(p, head_of(q, q->value, s, h),
             transposed(head_for(c, h, k, k->value, s)));
    for (int i = 0; i < p.rows; i++) {
        real *row = p.at + i * p.cols;
        for (int j = 0; j < p.cols; j++)
            row[j] *= (real)with->scale;
        row_softmax(row, keys_seen(with->causal, i, p.rows, p.cols), p.cols,
                    -INFINITY);
    }
    multiply(head_of(c, c->value, s, h), p, head_for(c, h, v, v->value, s));
}

/* dS = scale P (dP - rowsum(P dP)), in the place of dP */
static void
scores_gradient(Matrix ds, Matrix p, real scale)
{
    for (int i = 0; i < p.rows; i++, p.at += p.cols, ds.at += p.cols) {
        real mean = row_dot(p.at, ds.at, p.cols);
        for (int j = 0; j < p.cols; j++)
            ds.at[j] = scale * p.at[j] * (ds.at[j] - mean);
    }
}

/* The steps again, the last one first, for `count` queries from `first` on:
   dV += P' dO,  dP = dO V',  then dS,  dQ += dS K,  dK += dS' Q */
static void
rows_backward(Node *c, int s, int h, int first, int count)
{
    Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    const Attended *with = c->arguments;
    Matrix p = weights_of(c, s, h), ds = p;
    ds.at += p.rows * p.cols;
    p = some_rows(p, first, count);
    ds = some_rows(ds, first, count);
    Matrix d = some_rows(head_of(c, c->gradient, s, h), first, count);
    if (v->trained)
        multiply_add(head_for(c, h, v, gradient(v), s), transposed(p), d);
    multiply(ds, d, transposed(head_for(c, h, v, v->value, s)));
    scores_gradient(ds, p, (real)with->scale);
    if (q->trained)
        multiply_add(some_rows(head_of(q, gradient(q), s, h), first, count), ds,
                     head_for(c, h, k, k->value, s));
    if (k->trained)
        multiply_add(head_for(c, h, k, gradient(k), s), transposed(ds),
                     some_rows(head_of(q, q->value, s, h), first, count));
}

void
attend_forward(Node *c)
{
    for (int s = 0; s < c->sequences; s++)
        for (int h = 0; h < c->heads; h++)
            head_forward(c, s, h);
}

/* All queries of a head at once; but 32 at a time where there are more than 64
   keys: where q, k or v are one node, its gradient is added up in this order.
 */
void
attend_backward(Node *c)
{
    int tokens = c->rows / c->sequences, each = tokens;
    if (c->in[1]->rows / c->sequences > 64)
        each = 32;
    for (int s = 0; s < c->sequences; s++)
        for (int h = 0; h < c->heads; h++)
            for (int i = 0; i < tokens; i += each)
                rows_backward(c, s, h, i,
                              i + each < tokens ? each : tokens - i);
}
