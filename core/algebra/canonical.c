/* canonical.c - what a variant computes, found by probing it.

   With the identity for x (and 0 for y) the queries that reach attend are W^Q
   itself; with the identity for y, keys and values are W^K and W^V; and where
   it replaces what attend returns, the output is W^O. That is true of a variant
   that is linear up to attend and after it, and random tokens tell whether this
   one is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "algebra/canonical.h"
#include "algebra/capture.h"
#include "config/positions.h"
#include "heart/attention.h"
#include "heart/fail.h"
#include "heart/matrix.h"
#include "heart/random.h"
#include "heart/tape.h"

enum { X_TOKENS = 5, Y_TOKENS = 7 };

typedef struct Probe {
    const Variant *variant;
    Attention attention;
    const Weights *weights;
    real *const *values;
    Capture capture;
    bool recalled; /* what an earlier block remembered */
    bool first;    /* run: the one that counts calls, with the earlier blocks */
    real *tokens;  /* of the last run, where run_on made them; */
    Tape *tape;    /* and its tape */
    Node *out;     /* what it returned */
} Probe;

/* Runs forward on x (rows x d_model) and y; what is `replaced`, capture.h
   says. */
static void
run(Probe *p, real *x, int x_rows, real *y, int y_rows, int replaced)
{
    Node **w = allocate((size_t)p->weights->count, sizeof *w);
    tape_free(p->tape);
    p->tape = tape_new(0);
    p->capture = (Capture){.replaced = replaced};
    for (int i = 0; i < p->weights->count; i++)
        w[i] = leaf(p->tape, p->weights->list[i].rows, p->weights->list[i].cols,
                    1, p->values[i], NULL);
    Node *xn = leaf(p->tape, x_rows, p->attention.d_model, 1, x, NULL);
    Node *yn = leaf(p->tape, y_rows, p->attention.d_model, 1, y, NULL);
    if (p->first)
        forward_earlier(p->variant, &p->attention, xn, yn, w);
    int before = p->tape->recalled;
    capture_start(&p->capture, p->tape);
    p->out = plugin_forward(p->variant, &p->attention, xn, yn, w);
    p->recalled = p->tape->recalled > before;
    record_place(&p->capture, (Place){.out = p->out});
    free(w);
}

/* Runs it on so many tokens that are 0, or the unit vectors, as x and as y. */
static void
run_on(Probe *p, bool identity, int rows, int replaced)
{
    int d = p->attention.d_model;
    real *tokens = allocate((size_t)rows * d, sizeof *tokens);
    for (int i = 0; identity && i < rows; i++)
        tokens[i * (d + 1)] = 1;
    run(p, tokens, rows, tokens, rows, replaced);
    free(p->tokens);
    p->tokens = tokens;
}

/* `width` columns of n, from the first on, in double. */
static double *
copied(const Node *n, int first, int width)
{
    double *copy = allocate((size_t)n->rows * width, sizeof *copy);
    for (int i = 0; i < n->rows * width; i++)
        copy[i] = (double)n->value[i / width * n->cols + first + i % width];
    return copy;
}

void
product_of(double *c, const double *a, const double *b, int m, int k, int n,
           bool flipped)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[i * k + l] * (flipped ? b[j * k + l] : b[l * n + j]);
            c[i * n + j] = sum;
        }
}

/* The score, or weight, of query i and key j in head h of s. */
static double
score_at(const Node *s, int h, int i, int j)
{
    return (double)s->value[i * s->cols + h * (s->cols / s->heads) + j];
}

/* M_i, after a run on the identity: W_i^Q W_i^K' where scores are one product.
   Heads that are mixed, as talking heads are, have no such pair: there the
   scores themselves are M_i. */
static void
find_m(const Probe *p, Canonical *c)
{
    int d = c->d_model, h;
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&p->capture, 0, head, &h);
        const Node *q = call->q, *k = call->k;
        double *m = c->m + head * d * d;
        c->scale[head] = q ? call->scale : 1;
        for (int i = 0; !q && i < d * d; i++)
            m[i] = score_at(unbiased(call->out->in[0]), h, i / d, i % d);
        if (!q)
            continue;
        int width = q->cols / q->heads, shared = h / (q->heads / k->heads);
        double *w_q = copied(q, h * width, width);
        double *w_k = copied(k, shared * width, width);
        product_of(m, w_q, w_k, d, width, d, true);
        free(w_q);
        free(w_k);
    }
}

/* What head h of sum s takes of the softmax of head `head` of the form, after a
   run in which UNIT_WEIGHTS are replaced; in attend, all of its own. */
static double
share_of(const Probe *p, int head, const Sum *s, int h)
{
    int own;
    const Call *call = capture_head(&p->capture, 0, head, &own);
    int row = call->first + own;
    if (!s->p || call->v)
        return !s->p && s->call == call->number && own == h;
    return row < s->p->rows ? score_at(s->p, h, row, 0) : 0;
}

/* What is behind a weighted sum: its W_j^O, below each other, and what each of
   its heads takes of each softmax. */
typedef struct Output {
    double *o, *share;
} Output;

/* W^O is what the variant makes of the identity instead of the sum. */
static Output *
find_outputs(Probe *p, const Canonical *c)
{
    int sums = p->capture.sums, d = c->d_model;
    Output *all = allocate((size_t)sums, sizeof *all);
    for (int i = 0; i < sums; i++) {
        run_on(p, false, p->capture.sum[i].out->cols, i);
        all[i].o = copied(p->out, 0, d);
    }
    run_on(p, false, c->heads, UNIT_WEIGHTS);
    for (int i = 0; i < sums; i++) {
        const Sum *s = &p->capture.sum[i];
        size_t count = (size_t)s->out->heads * c->heads;
        all[i].share = allocate(count, sizeof *all[i].share);
        for (int k = 0; k < (int)count; k++)
            all[i].share[k] = share_of(p, k % c->heads, s, k / c->heads);
    }
    return all;
}

/* N_i = sum_j p_ij W_j^V W_j^O: of every head j of every weighted sum, as much
   as it takes of the softmax of head i. After a run on the identity. */
static void
find_n(const Probe *p, Canonical *c, Output *outputs)
{
    int d = c->d_model;
    double *product = allocate((size_t)d * d, sizeof *product);
    for (int i = 0; i < p->capture.sums; i++) {
        const Sum *s = &p->capture.sum[i];
        int heads = s->out->heads, group = heads / s->v->heads;
        int width = s->out->cols / heads;
        const double *share = outputs[i].share;
        for (int h = 0; h < heads; h++) {
            double *v = copied(s->v, h / group * width, width);
            product_of(product, v, outputs[i].o + h * width * d, d, width, d,
                       false);
            for (int head = 0; head < c->heads; head++, share++)
                for (int k = 0; *share != 0 && k < d * d; k++)
                    c->n[head * d * d + k] += *share * product[k];
            free(v);
        }
        free(outputs[i].o);
        free(outputs[i].share);
    }
    free(product);
    free(outputs);
}

double
bias_entry(const Canonical *c, int head, int k)
{
    return head < c->heads && c->bias ? c->bias[head * BIAS_SIZE + k]
           : k == SINK                ? -INFINITY
                                      : 0;
}

/* After a run on tokens that are all 0: then scores are their bias by position,
   if anything. What mixed heads have without tokens is no part of M_i. */
static void
find_biases(const Probe *p, Canonical *c)
{
    int d = c->d_model, h;
    bool any = false;
    double *bias = allocate((size_t)c->heads * BIAS_SIZE, sizeof *bias);
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&p->capture, 0, head, &h);
        Node *s = call->v ? NULL : call->out->in[0];
        double *m = c->m + head * d * d, *b = bias + head * BIAS_SIZE;
        for (int i = 0; !call->q && i < d * d; i++)
            m[i] -= score_at(unbiased(s), h, i / d, i % d);
        for (int k = 0; s && k < SINK; k++)
            b[k] = score_at(s, h, k / BIASED, k % BIASED);
        b[SINK] = s ? sink_of(call->out, h) : -INFINITY;
        any |= b[SINK] > -INFINITY;
        for (int k = 0; k < SINK; k++)
            any |= b[k] != 0;
    }
    c->bias = any ? bias : NULL;
    free(any ? NULL : bias);
}

/* The largest difference, and the largest entry that it is relative to. */
typedef struct Gap {
    double apart, largest;
} Gap;

static void
compare(double found, double wanted, Gap *gap)
{
    if (isinf(wanted) && found == wanted) /* masked */
        return;
    gap->apart =
        isnan(found) ? INFINITY : fmax(gap->apart, fabs(found - wanted));
    gap->largest = fmax(gap->largest, fabs(wanted));
}

static double
relative(Gap gap)
{
    return gap.apart / (gap.largest > 0 ? gap.largest : 1);
}

/* Compares the scores s x M y' + b (x tokens x y tokens) of one head with those
   of the call, and finds the weights that the call made of them. */
static void
compare_scores(const Canonical *c, int head, const Call *call, int h,
               const double *x, const double *y, int position, double *weights,
               Gap *gap)
{
    int d = c->d_model;
    double found[X_TOKENS * Y_TOKENS], wanted[X_TOKENS * Y_TOKENS];
    double *xm = allocate((size_t)X_TOKENS * d, sizeof *xm);
    product_of(xm, x, c->m + head * d * d, X_TOKENS, d, d, false);
    product_of(wanted, xm, y, X_TOKENS, d, Y_TOKENS, true);
    call_weights(call, 0, h, found, weights);
    for (int i = 0; i < X_TOKENS * Y_TOKENS; i++) {
        int at = (position + i / Y_TOKENS) * BIASED + i % Y_TOKENS;
        compare(found[i], c->scale[head] * wanted[i] + bias_entry(c, head, at),
                gap);
    }
    free(xm);
}

/* How far the variant is from its canonical form on random tokens of standard
   deviation `size`, of which x begins at `position`, in scores and in output,
   relative to the largest. */
static double
deviation(Probe *p, const Canonical *c, double size, int position)
{
    int d = c->d_model, xn = X_TOKENS * d, yn = Y_TOKENS * d;
    Random r = random_stream(1, "probe");
    real *x = allocate((size_t)(xn + yn), sizeof *x), *y = x + xn;
    double *xd = allocate((size_t)2 * (xn + yn), sizeof *xd);
    double *yd = xd + xn, *carried = yd + yn, *out = carried + yn;
    double weights[X_TOKENS * Y_TOKENS];
    Gap scores = {0}, output = {0};
    for (int i = 0; i < xn + yn; i++)
        xd[i] = (double)(x[i] = (real)(size * random_normal(&r)));
    p->attention.position = position;
    run(p, x, X_TOKENS, y, Y_TOKENS, NOTHING);
    for (int head = 0; head < c->heads; head++) {
        int h;
        const Call *call = capture_head(&p->capture, 0, head, &h);
        if (call_queries(call) != X_TOKENS || call_keys(call) != Y_TOKENS) {
            output.apart = INFINITY; /* queries are not x's, or keys not y's */
            break;
        }
        compare_scores(c, head, call, h, xd, yd, position, weights, &scores);
        product_of(carried, yd, c->n + head * d * d, Y_TOKENS, d, d, false);
        for (int i = 0; i < X_TOKENS * Y_TOKENS; i++)
            for (int j = 0; j < d; j++)
                out[i / Y_TOKENS * d + j] +=
                    weights[i] * carried[i % Y_TOKENS * d + j];
    }
    for (int i = 0; i < xn; i++)
        compare((double)p->out->value[i], out[i], &output);
    free(x);
    free(xd);
    return fmax(relative(scores), relative(output));
}

/* Does a key or value depend on another token than its own? Where the first of
   tokens that are 0 becomes another, the later ones are what they were. */
static bool
mixes_tokens(Probe *p)
{
    const Capture *r = &p->capture;
    double *before[2 * MOST_CALLS];
    bool mixed = false;
    run_on(p, false, Y_TOKENS, NOTHING);
    for (int i = 0; i < r->key_count; i++)
        before[i] = copied(r->keys[i], 0, r->keys[i]->cols);
    for (int j = 0; j < p->attention.d_model; j++)
        p->tokens[j] = 1 + (real)j;
    run(p, p->tokens, Y_TOKENS, p->tokens, Y_TOKENS, NOTHING);
    for (int i = 0; i < r->key_count; i++) {
        const Node *n = r->keys[i];
        for (int e = n->cols; e < n->rows * n->cols; e++)
            mixed |= (double)n->value[e] != before[i][e];
        free(before[i]);
    }
    return mixed;
}

static void
give_up(Canonical *c, const char *why, double apart)
{
    canonical_free(c);
    c->deviation = apart;
    if (isnan(apart))
        snprintf(c->why, sizeof c->why, "%s", why);
    else
        snprintf(c->why, sizeof c->why, "%s: misses by %.2g", why, apart);
}

void
canonical_allocate(Canonical *c, int heads)
{
    size_t size = matrix_entries(heads * c->d_model, c->d_model);
    c->heads = heads;
    c->m = allocate(size, sizeof *c->m);
    c->n = allocate(size, sizeof *c->n);
    c->scale = allocate((size_t)heads, sizeof *c->scale);
}

/* Probes, multiplies and proves; p's capture has counted the calls. */
static void
find_form(Probe *p, Canonical *c)
{
    canonical_allocate(c, capture_heads(&p->capture, 0));
    Output *outputs = find_outputs(p, c);
    run_on(p, true, c->d_model, NOTHING);
    find_m(p, c);
    find_n(p, c, outputs);
    if (p->capture.softmaxes) {
        run_on(p, false, c->d_model > BIASED ? c->d_model : BIASED, NOTHING);
        find_biases(p, c);
    }
    int later = p->attention.relative ? 3 : 0;
    c->deviation = fmax(deviation(p, c, 1, 0), deviation(p, c, 8, later));
    if (c->deviation <= (sizeof(real) == 4 ? 1e-4 : 1e-10))
        return;
    if (p->capture.rotated)
        give_up(c,
                "it rotates by the position itself, so M_i is another matrix "
                "at each distance",
                NAN);
    else if (mixes_tokens(p))
        give_up(c,
                "a key or value of it is made of several tokens, so no matrix "
                "M_i stands between a query and one token",
                NAN);
    else
        give_up(c, "not linear in its tokens, or it knows their positions",
                c->deviation);
}

Canonical
canonical_form(const Variant *v, Attention a, const Weights *w,
               real *const *values)
{
    Canonical c = {.d_model = a.d_model, .rotated = a.relative == &rope};
    Probe p = {.variant = v, .attention = a, .weights = w, .values = values};
    for (int i = 0; i < w->count; i++)
        for (int k = 0; k < w->list[i].rows * w->list[i].cols; k++)
            if (!isfinite(values[i][k])) {
                snprintf(c.why, sizeof c.why,
                         "%.64s holds numbers that are not finite, as after a "
                         "training that diverged",
                         w->list[i].name);
                c.deviation = NAN;
                return c;
            }
    p.attention.causal = 0;
    if (c.rotated)
        p.attention.relative = NULL;
    int rows = (a.d_model > BIASED ? a.d_model : BIASED) + 1;
    bool own = true;
    p.first = true;
    run_on(&p, false, rows, NOTHING);
    p.first = false;
    for (int i = 0; i < p.capture.calls; i++)
        own &= call_queries(&p.capture.call[i]) == rows &&
               call_keys(&p.capture.call[i]) == rows;
    for (int i = 0; i < p.capture.key_count; i++)
        own &= p.capture.keys[i]->rows == rows;
    if (p.recalled)
        give_up(&c,
                "it recalls what an earlier block remembered, and so is no "
                "function of its own tokens alone",
                NAN);
    else if (p.capture.calls == 0)
        give_up(&c, "it never calls attend or softmax", NAN);
    else if (!own)
        give_up(&c, "its queries, keys or values are not one of each token",
                NAN);
    else
        find_form(&p, &c);
    tape_free(p.tape);
    free(p.tokens);
    return c;
}

bool
equal_biases(const Canonical *a, const Canonical *b)
{
    const double near = sizeof(real) == 4 ? 1e-5 : 1e-12;
    for (int h = 0; h < a->heads || h < b->heads; h++)
        for (int k = 0; k < BIAS_SIZE; k++) {
            double x = bias_entry(a, h, k), y = bias_entry(b, h, k);
            if (x != y && !(fabs(x - y) <= near * fabs(x)))
                return false;
        }
    return true;
}

void
canonical_free(Canonical *c)
{
    free(c->m);
    free(c->n);
    free(c->scale);
    free(c->bias);
    c->m = c->n = c->scale = c->bias = NULL;
}
