/* attend_and_norm.c - attention and LayerNorm, each in one operator.

   The operands of attention are q, k and v, with all heads side by side and all
   sequences one below the other (<qkv/attend.h>). In comments, Q, K and V are
   one head of q, k and v; S is the scores of that head, P its weights, and O
   its output. */
#include "heart/attention_operands.h"
#include "heart/attend_and_norm.h"
#include "heart/heads.h"
#include "heart/numbers.h"
#include "heart/rows.h"

enum { Q, K, V }; /* the operands of attend */

/* The number of attention weights in all heads: one for each query and each key
   of its sequence. */
static size_t
weight_count(const Node *q, const Node *k)
{
    int keys = k->rows / k->sequences;
    return (size_t)q->rows * (size_t)q->heads * (size_t)keys;
}

/* Head h of the matrix at `at`, as a batch of all sequences. The matrix (tokens
   x heads*keys) has an entry for each attention weight of c. */
static Matrix
weights_of_head(const Node *c, int h, real *at)
{
    int tokens = c->rows / c->sequences;
    int keys = c->in[K]->rows / c->in[K]->sequences;
    ptrdiff_t stride = (ptrdiff_t)c->heads * keys;
    Matrix m = matrix(at + h * keys, tokens, keys, stride);
    m.count = c->sequences;
    m.step = (ptrdiff_t)tokens * m.down;
    return m;
}

/* The head of n's value that belongs to head h of c, as a batch of all
   sequences. n is c itself or one of its operands, which may have fewer heads
   than c (shared_head). */
static Matrix
value_for(const Node *c, const Node *n, int h)
{
    return shared_head(n, n->value, h, c->heads);
}

/* Adds the product a b to the gradient of operand n, in the head that belongs
   to head h of c. */
static void
add_to_gradient(const Node *c, Node *n, int h, Matrix a, Matrix b)
{
    if (n->trained)
        multiply_add(shared_head(n, gradient(n), h, c->heads), a, b);
}

/* Head by head: 1. S = Q K'; 2. scale and mask; 3. softmax, which makes S the
   weights P; 4. O = P V. The weights of all heads are kept. */
static void
attend_forward(Node *c)
{
    const ScaleAndMask *with = c->arguments;
    for (int h = 0; h < c->heads; h++) {
        Matrix q = value_for(c, c->in[Q], h), k = value_for(c, c->in[K], h);
        Matrix v = value_for(c, c->in[V], h), o = value_for(c, c, h);
        Matrix p = weights_of_head(c, h, c->kept);
        multiply(p, q, transposed(k));
        /* The rows of all sequences follow one another, p.down apart. */
        for (int i = 0; i < c->rows; i++) {
            real *row = p.at + i * p.down;
            int query = i % p.rows;
            int seen = keys_seen(with->causal, query, p.rows, p.cols);
            for (int j = 0; j < seen; j++)
                row[j] *= (real)with->scale;
            row_softmax(row, seen, p.cols);
        }
        multiply(o, p, v);
    }
}

/* Head by head, the same steps from the last to the first.
   In the forward pass O was P V, so now dP = dO V' and dV += P' dO.
   P was softmax(scale S), so now dS = scale P (dP - mean), entry by entry, with
   mean = rowsum(P dP), the mean of dP by the weights. It overwrites dP. A
   masked weight is 0, and so is its dS.
   S was Q K', so now dQ += dS K and dK += dS' Q. */
static void
attend_backward(Node *c)
{
    const ScaleAndMask *with = c->arguments;
    real *scratch = c->kept + weight_count(c->in[Q], c->in[K]);
    for (int h = 0; h < c->heads; h++) {
        Matrix q = value_for(c, c->in[Q], h), k = value_for(c, c->in[K], h);
        Matrix v = value_for(c, c->in[V], h);
        Matrix d_out = shared_head(c, c->gradient, h, c->heads);
        Matrix p = weights_of_head(c, h, c->kept);
        Matrix ds = weights_of_head(c, h, scratch); /* dP, then dS */
        multiply(ds, d_out, transposed(v));
        add_to_gradient(c, c->in[V], h, transposed(p), d_out);
        for (int i = 0; i < c->rows; i++) {
            real *row = ds.at + i * ds.down, *weights = p.at + i * p.down;
            real mean = row_dot(weights, row, p.cols);
            for (int j = 0; j < p.cols; j++)
                row[j] = (real)with->scale * weights[j] * (row[j] - mean);
        }
        add_to_gradient(c, c->in[Q], h, ds, k);
        add_to_gradient(c, c->in[K], h, transposed(ds), q);
    }
}

const Operator attend_op = {"attend", attend_forward, attend_backward};

/* In c->kept the node has its weights P, and then as much memory again, in
   which the backward pass computes dP and dS. */
Node *
attend(Attention *a, Node *q, Node *k, Node *v, double scale)
{
    AttendFunction *other = other_attend(a, q);
    if (other)
        return other(a, q, k, v, scale);
    attend_operands(a, &q, &k, &v);
    return make(&attend_op, OF(q, k, v),
                (Spec){.cols = q->heads * (v->cols / v->heads),
                       WITH((ScaleAndMask){scale, a->causal}),
                       .keeps = 2 * weight_count(q, k)});
}

/* The sum of x_j over n entries, in lanes (numbers.h). */
static real
row_sum(const real *x, int n)
{
    real lane[LANES] = {0};
    for (int j = 0; j < n; j++)
        lane[j % LANES] += x[j];
    return sum_of_lanes(lane);
}

/* Row by row, n = (x - mean) / deviation and y = gain n + bias, with deviation
   = sqrt(variance + NORM_EPSILON). For the backward pass, c->kept holds n, and
   after it 1 / deviation of each row. */
static void
norm_forward(Node *c)
{
    const real *gain = c->in[1]->value, *bias = c->in[2]->value;
    int d = c->cols;
    for (int i = 0; i < c->rows; i++) {
        const real *x = c->in[0]->value + i * d;
        real *n = c->kept + i * d, *y = c->value + i * d;
        real mean = row_sum(x, d) / (real)d;
        for (int j = 0; j < d; j++)
            n[j] = x[j] - mean;
        real variance = row_dot(n, n, d) / (real)d;
        real inverse = 1 / SQRT(variance + NORM_EPSILON);
        for (int j = 0; j < d; j++) {
            n[j] *= inverse;
            y[j] = gain[j] * n[j] + bias[j];
        }
        c->kept[size_of(c) + i] = inverse;
    }
}

/* In the forward pass y was gain n + bias, so now dGain += dY n, dBias += dY,
   and n's gradient is g = gain dY. n was (x - mean) / deviation, so now dX +=
   (g - mean(g) - n mean(g n)) / deviation: an entry of x also changed the mean
   of its row, hence mean(g), and the deviation, hence n mean(g n). */
static void
norm_backward(Node *c)
{
    int d = c->cols;
    const real *gain = c->in[1]->value, *inverse = c->kept + size_of(c);
    real *dgain = gradient(c->in[1]), *dbias = gradient(c->in[2]);
    real *dx = c->in[0]->trained ? gradient(c->in[0]) : NULL;
    real *g = c->kept + size_of(c) + c->rows; /* of one row */
    for (int i = 0; i < c->rows; i++) {
        const real *dy = c->gradient + i * d, *n = c->kept + i * d;
        for (int j = 0; j < d; j++) {
            dgain[j] += dy[j] * n[j];
            dbias[j] += dy[j];
            g[j] = gain[j] * dy[j];
        }
        real mean_g = row_sum(g, d) / (real)d;
        real mean_gn = row_dot(g, n, d) / (real)d;
        if (dx)
            for (int j = 0; j < d; j++)
                dx[i * d + j] += (g[j] - mean_g - n[j] * mean_gn) * inverse[i];
    }
}

const Operator layer_norm_op = {"layer_norm", norm_forward, norm_backward};

/* In c->kept the node has n, then 1 / deviation of each row, then memory for
   one row of g. */
Node *
layer_norm(Node *x, Node *gain, Node *bias)
{
    size_t keeps = size_of(x) + (size_t)x->rows + (size_t)x->cols;
    return make(&layer_norm_op, OF(x, gain, bias), (Spec){.keeps = keeps});
}
