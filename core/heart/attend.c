/* attend.c - attention in four passes over the queries of a head.

   Shapes, of one head of one sequence: q (tokens x d), k (keys x d), v (keys x
   d_v), the weights p and the gradient ds of the scores (tokens x keys), out
   (tokens x d_v). */
#include "heart/attend.h"
#include "heart/heads.h"
#include "heart/numbers.h"
#include "heart/rows.h"

size_t
attend_keeps(const Node *c)
{
    const Node *q = c->in[0], *k = c->in[1];
    int tokens = q->rows / q->sequences, keys = k->rows / k->sequences;
    return 2 * (size_t)(q->sequences * q->heads * tokens) * (size_t)keys;
}

/* One head: its values, with p and ds in c->kept; or its gradients. */
typedef struct Head {
    Matrix q, k, v, out, p, ds;
} Head;

static Head
head(Node *c, int s, int h, bool gradients)
{
    Node *in[4] = {c->in[0], c->in[1], c->in[2], c};
    Matrix m[4];
    for (int i = 0; i < 4; i++) {
        real *at = !gradients       ? in[i]->value
                   : i == 3         ? c->gradient
                   : in[i]->trained ? gradient(in[i])
                                    : NULL;
        m[i] = head_of(in[i], at, s, h / (c->heads / in[i]->heads));
    }
    int tokens = m[0].rows, keys = m[1].rows;
    real *p = c->kept + 2 * (ptrdiff_t)(s * c->heads + h) * tokens * keys;
    return (Head){.q = m[0],
                  .k = m[1],
                  .v = m[2],
                  .out = m[3],
                  .p = matrix(p, tokens, keys, keys),
                  .ds = matrix(p + tokens * keys, tokens, keys, keys)};
}

/* x_i . y_j, rows of two matrices of one width */
static real
dot(Matrix x, int i, Matrix y, int j)
{
    real sum = 0;
    for (int l = 0; l < x.cols; l++)
        sum = fused(x.at[i * x.down + l], y.at[j * y.down + l], sum);
    return sum;
}

/* y_j += factor x_i */
static void
add_row(Matrix y, int j, real factor, Matrix x, int i)
{
    for (int l = 0; l < y.cols; l++)
        y.at[j * y.down + l] =
            fused(factor, x.at[i * x.down + l], y.at[j * y.down + l]);
}

/* The keys that query i sees. */
static int
seen_by(const Node *c, const Head *a, int i)
{
    const Attended *with = c->arguments;
    return keys_seen(with->causal, i, a->q.rows, a->k.rows);
}

static void
forward(Node *c, const Head *a)
{
    const Attended *with = c->arguments;
    for (int i = 0; i < a->q.rows; i++) {
        real *p = a->p.at + i * a->p.down, max = 0, sum[LANES] = {0};
        int seen = seen_by(c, a, i);

        /* 1. the scores of the keys that this query sees, and their largest */
        for (int j = 0; j < seen; j++) {
            p[j] = dot(a->q, i, a->k, j) * (real)with->scale;
            max = j == 0 || p[j] > max ? p[j] : max;
        }
        /* 2. their exponentials, and the sum of these */
        for (int j = 0; j < seen; j++) {
            p[j] = exponential(p[j] - max);
            sum[j % LANES] += p[j];
        }
        /* 3. the weights, which sum to 1; 0 for what is masked */
        real inverse = 1 / sum_of(sum);
        for (int j = 0; j < a->p.cols; j++)
            p[j] = j < seen ? p[j] * inverse : 0;

        /* 4. the weighted sum of the values */
        for (int l = 0; l < a->out.cols; l++)
            a->out.at[i * a->out.down + l] = 0;
        for (int j = 0; j < seen; j++)
            add_row(a->out, i, p[j], a->v, j);
    }
}

/* The four passes again, the last one first, for queries first .. end - 1. */
static void
backward_rows(Node *c, const Head *a, const Head *d, int first, int end)
{
    const Attended *with = c->arguments;

    /* 4. dv_j += p_ij dout_i */
    for (int i = first; d->v.at && i < end; i++)
        for (int j = 0; j < seen_by(c, a, i); j++)
            add_row(d->v, j, a->p.at[i * a->p.down + j], d->out, i);

    /* 3, 2. dp_ij = dout_i . v_j,  ds_ij = p_ij (dp_ij - sum_k p_ik dp_ik) */
    for (int i = first; i < end; i++) {
        const real *p = a->p.at + i * a->p.down;
        real *ds = a->ds.at + i * a->ds.down, sum[LANES] = {0};
        int seen = seen_by(c, a, i);
        for (int j = 0; j < seen; j++) {
            ds[j] = dot(d->out, i, a->v, j);
            sum[j % LANES] = fused(p[j], ds[j], sum[j % LANES]);
        }
        real mean = sum_of(sum);
        for (int j = 0; j < seen; j++)
            ds[j] = (real)with->scale * p[j] * (ds[j] - mean);
    }
    /* 1. dq_i += ds_ij k_j,  dk_j += ds_ij q_i */
    for (int i = first; d->q.at && i < end; i++)
        for (int j = 0; j < seen_by(c, a, i); j++)
            add_row(d->q, i, a->ds.at[i * a->ds.down + j], a->k, j);
    for (int i = first; d->k.at && i < end; i++)
        for (int j = 0; j < seen_by(c, a, i); j++)
            add_row(d->k, j, a->ds.at[i * a->ds.down + j], a->q, i);
}

void
attend_forward(Node *c)
{
    for (int s = 0; s < c->sequences; s++)
        for (int h = 0; h < c->heads; h++) {
            Head a = head(c, s, h, false);
            forward(c, &a);
        }
}

/* All queries of a head at once; but 32 at a time where there are more than 64
   keys: where q, k or v are one node, its gradient is added up in this order.
 */
void
attend_backward(Node *c)
{
    for (int s = 0; s < c->sequences; s++)
        for (int h = 0; h < c->heads; h++) {
            Head a = head(c, s, h, false), d = head(c, s, h, true);
            int each = a.k.rows > 64 ? 32 : a.q.rows;
            for (int i = 0; i < a.q.rows; i += each)
                backward_rows(c, &a, &d, i,
                              i + each < a.q.rows ? i + each : a.q.rows);
        }
}
