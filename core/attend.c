/* attend.c - scaled dot-product attention, in one step and in three.

   "Attention Is All You Need", equation 1, for every head of every sequence:
   P = softmax(mask(scale Q K')), O = P V. The weights P lie in a matrix
   (tokens x heads*tokens asked), head by head in its columns. */
#include <math.h>
#include <string.h>

#include "attend.h"
#include "fail.h"
#include "matrix.h"
#include "rows.h"
#include "tape.h"

/* Head h of sequence s of a matrix with n's shape that lies at `at`. */
static Matrix
head_of(const Node *n, real *at, int s, int h)
{
    int tokens = n->rows / n->sequences, width = n->cols / n->heads;
    ptrdiff_t first = (ptrdiff_t)s * tokens * n->cols + (ptrdiff_t)h * width;
    return matrix(at + first, tokens, width, n->cols);
}

static void
softmax_head(Matrix p, Matrix s, real factor, int causal)
{
    for (int i = 0; i < p.rows; i++) {
        int seen = causal ? i + 1 : p.cols;
        real *row = p.at + i * p.down;
        row_softmax(row, s.at + i * s.down, factor, seen);
        memset(row + seen, 0, (size_t)(p.cols - seen) * sizeof(real));
    }
}

/* dS += factor P (dP - rowsum(P dP)), elementwise but for the sum, from
   S -> P = softmax(factor S). A masked weight is 0, and so is its share. */
static void
softmax_head_backward(Matrix ds, Matrix p, Matrix dp, real factor)
{
    for (int i = 0; i < p.rows; i++) {
        real *d = ds.at + i * ds.down;
        const real *w = p.at + i * p.down, *dw = dp.at + i * dp.down;
        real mean = row_dot(w, dw, p.cols);
        for (int j = 0; j < p.cols; j++)
            d[j] += factor * w[j] * (dw[j] - mean);
    }
}

static void
check_heads(const char *name, const Node *q, const Node *k)
{
    if (q->heads % k->heads || q->sequences != k->sequences)
        bug("%s: %d heads in %d sequences and %d heads in %d sequences do not "
            "fit",
            name, q->heads, q->sequences, k->heads, k->sequences);
}

static void
check_scores(const char *name, const Node *q, const Node *k)
{
    check_heads(name, q, k);
    if (q->cols / q->heads != k->cols / k->heads)
        bug("%s: queries (%d x %d) of %d heads and keys (%d x %d) of %d heads "
            "differ in width per head",
            name, q->rows, q->cols, q->heads, k->rows, k->cols, k->heads);
}

/* What a product of every query with every key (or weight with value) costs,
   `width` numbers each, and its way back. Masked pairs are counted too. */
static double
pair_flops(const Node *q, int asked, int width)
{
    return 2. * q->rows * q->heads * asked * width;
}

/* A mask by position asks for as many keys as queries. */
static void
check_mask(const char *name, const Attention *a, int tokens, int asked)
{
    if (a->causal && tokens != asked)
        bug("%s: a causal mask needs as many keys as queries, not %d and %d",
            name, asked, tokens);
}

/* dQ_i += scale dS_i K_i,  dK_i += scale dS_i' Q_i */
static void
scores_backward(Node *c)
{
    Node *q = c->in[0], *k = c->in[1];
    int group = q->heads / k->heads;
    for (size_t i = 0; i < (size_t)c->rows * (size_t)c->cols; i++)
        c->kept[i] = (real)c->number * c->gradient[i];
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
    int asked = k->rows / k->sequences, group = q->heads / k->heads;
    Node *c = new_node(q->rows, q->heads * asked, scores_backward,
                       (Node *[]){q, k}, 2);
    c->heads = q->heads;
    c->number = scale;
    c->flops[0] = pair_flops(q, asked, q->cols / q->heads);
    c->flops[1] = c->flops[0] * (q->trained + k->trained);
    c->kept = keep(c, (size_t)c->rows * (size_t)c->cols);
    if (!c->value)
        return c;
    for (int s = 0; s < q->sequences; s++)
        for (int h = 0; h < q->heads; h++)
            multiply(head_of(c, c->value, s, h), head_of(q, q->value, s, h),
                     transposed(head_of(k, k->value, s, h / group)));
    for (size_t i = 0; i < (size_t)c->rows * (size_t)c->cols; i++)
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
            softmax_head_backward(head_of(a, gradient(a), s, h),
                                  head_of(c, c->value, s, h),
                                  head_of(c, c->gradient, s, h), 1);
}

Node *
softmax(Attention *a, Node *s)
{
    check_mask("softmax", a, s->rows / s->sequences, s->cols / s->heads);
    Node *c = new_node(s->rows, s->cols, softmax_backward, &s, 1);
    c->heads = s->heads;
    if (a->watch && a->watch->softmaxes++ < MOST_CALLS)
        a->watch->softmax[a->watch->softmaxes - 1] = c;
    for (int n = 0; c->value && n < c->sequences; n++)
        for (int h = 0; h < c->heads; h++)
            softmax_head(head_of(c, c->value, n, h), head_of(s, s->value, n, h),
                         1, a->causal);
    return c;
}

/* dP_i += dO_i V_i',  dV_i += P_i' dO_i */
static void
weigh_backward(Node *c)
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
weigh(Node *p, Node *v)
{
    check_heads("weigh", p, v);
    if (p->cols / p->heads != v->rows / v->sequences)
        bug("weigh: weights (%d x %d) of %d heads and values (%d x %d) in %d "
            "sequences do not fit",
            p->rows, p->cols, p->heads, v->rows, v->cols, v->sequences);
    int group = p->heads / v->heads;
    Node *c = new_node(p->rows, p->heads * (v->cols / v->heads), weigh_backward,
                       (Node *[]){p, v}, 2);
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
    int tokens = c->rows / c->sequences, asked = c->cols / c->heads;
    real *d = gradient(a);
    const real *dc = c->gradient;
    for (int i = 0; i < c->rows; i++)
        for (int j = 0; j < c->cols; j++, d++, dc++)
            *d += !c->first || j % asked <= i % tokens ? *dc : 0;
}

Node *
mask_zero(Attention *a, Node *s)
{
    int tokens = s->rows / s->sequences, asked = s->cols / s->heads;
    check_mask("mask_zero", a, tokens, asked);
    Node *c = new_node(s->rows, s->cols, mask_zero_backward, &s, 1);
    c->heads = s->heads;
    c->first = a->causal;
    real *to = c->value, *from = s->value;
    for (int i = 0; to && i < c->rows; i++)
        for (int j = 0; j < c->cols; j++, to++, from++)
            *to = !a->causal || j % asked <= i % tokens ? *from : 0;
    return c;
}

/* The shape of the weights P of queries q and keys k. */
static Node
weights_shape(const Node *q, const Node *k)
{
    return (Node){.rows = q->rows,
                  .cols = q->heads * (k->rows / k->sequences),
                  .sequences = q->sequences,
                  .heads = q->heads};
}

/* Takes a call down, and replaces its result where that is asked for. */
static void
watch_call(Watch *w, Call call)
{
    Node *out = call.out;
    int number = w->calls++;
    if (number < MOST_CALLS)
        w->call[number] = call;
    if (w->replaced < 0 || !out->value)
        return;
    for (int i = 0; i < out->rows; i++)
        for (int j = 0; j < out->cols; j++)
            out->value[(size_t)i * (size_t)out->cols + (size_t)j] =
                number == w->replaced && i == j;
}

/* Per head, with P kept from the way forward:
   dV += P' dO,  dP = dO V',  dS = scale P (dP - rowsum(P dP)),
   dQ += dS K,  dK += dS' Q */
static void
attend_head_backward(Node *c, int s, int h)
{
    Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    Node shape = weights_shape(q, k);
    int k_head = h / (q->heads / k->heads), v_head = h / (q->heads / v->heads);
    Matrix p = head_of(&shape, c->kept, s, h),
           d = head_of(c, c->gradient, s, h);
    if (v->trained)
        multiply_add(head_of(v, gradient(v), s, v_head), transposed(p), d);
    if (!q->trained && !k->trained)
        return;
    real *room = c->kept + (size_t)shape.rows * (size_t)shape.cols;
    size_t size = (size_t)p.rows * (size_t)p.cols;
    Matrix dp = matrix(room, p.rows, p.cols, p.cols);
    Matrix ds = matrix(room + size, p.rows, p.cols, p.cols);
    multiply(dp, d, transposed(head_of(v, v->value, s, v_head)));
    memset(ds.at, 0, size * sizeof(real));
    softmax_head_backward(ds, p, dp, (real)c->number);
    if (q->trained)
        multiply_add(head_of(q, gradient(q), s, h), ds,
                     head_of(k, k->value, s, k_head));
    if (k->trained)
        multiply_add(head_of(k, gradient(k), s, k_head), transposed(ds),
                     head_of(q, q->value, s, h));
}

static void
attend_backward(Node *c)
{
    for (int s = 0; s < c->sequences; s++)
        for (int h = 0; h < c->heads; h++)
            attend_head_backward(c, s, h);
}

Node *
attend(Attention *a, Node *q, Node *k, Node *v, double scale)
{
    check_scores("attend", q, k);
    check_heads("attend", q, v);
    Node shape = weights_shape(q, k);
    int tokens = q->rows / q->sequences, asked = k->rows / k->sequences;
    check_mask("attend", a, tokens, asked);
    if (v->rows != k->rows)
        bug("attend: keys (%d x %d) and values (%d x %d) do not fit", k->rows,
            k->cols, v->rows, v->cols);
    Node *c = new_node(q->rows, q->heads * (v->cols / v->heads),
                       attend_backward, (Node *[]){q, k, v}, 3);
    double to_score = pair_flops(q, asked, q->cols / q->heads);
    double to_weigh = pair_flops(q, asked, v->cols / v->heads);
    c->heads = q->heads;
    c->number = scale;
    c->flops[0] = to_score + to_weigh;
    c->flops[1] = to_score * (q->trained + k->trained) +
                  to_weigh * ((q->trained || k->trained) + v->trained);
    c->kept = keep(c, (size_t)shape.rows * (size_t)shape.cols +
                          2 * (size_t)tokens * (size_t)asked);
    for (int s = 0; c->value && s < c->sequences; s++)
        for (int h = 0; h < c->heads; h++) {
            int k_head = h / (q->heads / k->heads);
            int v_head = h / (q->heads / v->heads);
            Matrix p = head_of(&shape, c->kept, s, h);
            multiply(p, head_of(q, q->value, s, h),
                     transposed(head_of(k, k->value, s, k_head)));
            softmax_head(p, p, (real)scale, a->causal);
            multiply(head_of(c, c->value, s, h), p,
                     head_of(v, v->value, s, v_head));
        }
    if (a->watch)
        watch_call(a->watch, (Call){q, k, v, c, scale, a->causal});
    return c;
}

void
call_weights(const Call *c, int sequence, int head, double *scores,
             double *weights)
{
    int k_head = head / (c->q->heads / c->k->heads);
    Matrix q = head_of(c->q, c->q->value, sequence, head);
    Matrix k = head_of(c->k, c->k->value, sequence, k_head);
    for (int i = 0; i < q.rows; i++) {
        double *s = scores + i * k.rows, *p = weights + i * k.rows;
        double most = -INFINITY, sum = 0;
        for (int j = 0; j < k.rows; j++) {
            s[j] = c->causal && j > i ? -INFINITY : 0;
            for (int l = 0; l < q.cols; l++)
                s[j] += c->scale * (double)q.at[i * q.down + l] *
                        (double)k.at[j * k.down + l];
            most = fmax(most, s[j]);
        }
        for (int j = 0; j < k.rows; j++)
            sum += p[j] = exp(s[j] - most);
        for (int j = 0; j < k.rows; j++)
            p[j] /= sum;
    }
}
