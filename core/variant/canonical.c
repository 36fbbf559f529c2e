/* canonical.c - what a variant computes, found by probing it.

   With the identity for x (and 0 for y) the queries that reach attend are W^Q
   itself; with the identity for y, keys and values are W^K and W^V; and where
   it replaces what attend returns, the output is W^O. That is true of a variant
   that is linear up to attend and after it, and random tokens tell whether this
   one is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "math/elementary.h"
#include "math/matrix.h"
#include "math/random.h"
#include "tape/attend.h"
#include "tape/recording.h"
#include "tape/tape.h"
#include "variant/canonical.h"

enum { X_TOKENS = 5, Y_TOKENS = 7 };

typedef struct Probe {
    const Variant *variant;
    Attention attention;
    const Weights *weights;
    real *const *values;
    Recording recording;
    bool first; /* run: the one that counts calls, with the earlier blocks */
    Tape *tape; /* of the last run */
    Node *out;  /* what it returned */
} Probe;

/* Runs forward on x (rows x d_model) and y, measured first; what is `replaced`,
   recording.h says. */
static void
run(Probe *p, real *x, int x_rows, real *y, int y_rows, int replaced)
{
    Tape *measured = tape_measure();
    Node **w = allocate((size_t)p->weights->count, sizeof *w);
    tape_free(p->tape);
    p->tape = measured;
    for (int round = 0; round < 2; round++) {
        p->recording = (Recording){.replaced = replaced};
        for (int i = 0; i < p->weights->count; i++)
            w[i] = leaf(p->tape, p->weights->list[i].rows,
                        p->weights->list[i].cols, 1, p->values[i], NULL);
        Node *xn = leaf(p->tape, x_rows, p->attention.d_model, 1, x, NULL);
        Node *yn = leaf(p->tape, y_rows, p->attention.d_model, 1, y, NULL);
        if (p->first)
            plugin_forward_earlier(p->variant, &p->attention, xn, yn, w);
        p->out = plugin_forward(p->variant, &p->attention, xn, yn, w);
        record_place(&p->recording, (Place){.out = p->out});
        if (round == 0)
            p->tape = tape_fitting(measured);
    }
    tape_free(measured);
    free(w);
}

/* The columns of one head after those of another, each (rows x width). */
static double *
copied(const Node *n, int heads)
{
    int width = n->cols / heads;
    double *copy = allocate((size_t)n->rows * (size_t)n->cols, sizeof *copy);
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < n->rows; i++)
            for (int j = 0; j < width; j++)
                copy[(h * n->rows + i) * width + j] =
                    (double)n->value[i * n->cols + h * width + j];
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

/* Head h of call i, in the order of the form. */
typedef struct Head {
    int i, h;
} Head;

static Head
head_at(const Probe *p, int head)
{
    Head at = {0, head};
    for (; at.h >= p->recording.call[at.i].out->heads; at.i++)
        at.h -= p->recording.call[at.i].out->heads;
    return at;
}

/* M_i = W_i^Q W_i^K' of the calls whose scores are one product. */
static void
find_products(Probe *p, Canonical *c, real *identity, real *zero)
{
    int d = c->d_model, calls = p->recording.calls;
    const Call *call = p->recording.call;
    double **q = allocate((size_t)calls, sizeof *q);
    double **k = allocate((size_t)calls, sizeof *k);
    run(p, identity, d, zero, d, NOTHING);
    for (int i = 0; i < calls; i++)
        q[i] = call[i].q ? copied(call[i].q, call[i].q->heads) : NULL;
    run(p, zero, d, identity, d, NOTHING);
    for (int i = 0; i < calls; i++)
        k[i] = call[i].q ? copied(call[i].k, call[i].k->heads) : NULL;
    for (int head = 0; head < c->heads; head++) {
        Head at = head_at(p, head);
        const Node *n = call[at.i].q;
        if (!n)
            continue;
        int width = n->cols / n->heads;
        int k_head = at.h / (n->heads / call[at.i].k->heads);
        product_of(c->m + head * d * d, q[at.i] + at.h * d * width,
                   k[at.i] + k_head * d * width, d, width, d, true);
        c->scale[head] = call[at.i].scale;
        for (int j = 0; j < d * c->width; j++) {
            c->q[head * d * width + j] = q[at.i][at.h * d * width + j];
            c->k[head * d * width + j] = k[at.i][k_head * d * width + j];
        }
    }
    for (int i = 0; i < calls; i++) {
        free(q[i]);
        free(k[i]);
    }
    free(q);
    free(k);
}

/* M_i of the others, as talking heads have: the scores of the identity, less
   those of nothing. */
static void
find_mixtures(Probe *p, Canonical *c, real *identity, real *zero)
{
    int d = c->d_model;
    for (int of_zero = 1; of_zero >= 0; of_zero--) {
        real *tokens = of_zero ? zero : identity;
        run(p, tokens, d, tokens, d, NOTHING);
        for (int head = 0; head < c->heads; head++) {
            Head at = head_at(p, head);
            const Call *call = &p->recording.call[at.i];
            if (call->q)
                continue;
            const Node *s = unbiased(call->out->in[0]);
            c->scale[head] = 1;
            for (int k = 0; k < d * d; k++)
                c->m[head * d * d + k] =
                    (double)s->value[k / d * s->cols + at.h * d + k % d] -
                    c->m[head * d * d + k];
        }
    }
}

/* What the softmax of head `head` of the form gives head h of sum s, in a run
   in which UNIT_WEIGHTS are replaced. */
static double
share_of(const Probe *p, int head, const Sum *s, int h)
{
    Head at = head_at(p, head);
    const Call *call = &p->recording.call[at.i];
    int row = call->first + at.h;
    if (!s->p || call->v)
        return !s->p && s->call == call->number && at.h == h;
    return row < s->p->rows
               ? (double)s->p
                     ->value[row * s->p->cols + h * (s->p->cols / s->p->heads)]
               : 0;
}

/* W_j^O, below each other: what the variant makes of the identity instead of
   sum i, of `rows` columns. */
static double *
output_map(Probe *p, int i, int rows)
{
    real *none = allocate((size_t)(rows * p->attention.d_model), sizeof *none);
    run(p, none, rows, none, rows, i);
    free(none);
    return copied(p->out, 1);
}

/* N_i = sum_j p_ij W_j^V W_j^O: of every head j of every weighted sum, as much
   as it takes of the softmax of head i; in attend, all of its own. */
static void
find_n(Probe *p, Canonical *c, real *identity, real *zero)
{
    int d = c->d_model, sums = p->recording.sums;
    Sum *sum = p->recording.sum;
    double *product = allocate((size_t)(d * d), sizeof *product);
    double **v = allocate((size_t)sums, sizeof *v);
    double **o = allocate((size_t)sums, sizeof *o);
    real *none = allocate((size_t)(c->heads * d), sizeof *none);
    for (int i = 0; i < sums; i++)
        o[i] = output_map(p, i, sum[i].out->cols);
    run(p, zero, d, identity, d, NOTHING);
    for (int i = 0; i < sums; i++)
        v[i] = copied(sum[i].v, sum[i].v->heads);
    run(p, none, c->heads, none, c->heads, UNIT_WEIGHTS);
    for (int i = 0; i < sums; i++) {
        int heads = sum[i].out->heads, group = heads / sum[i].v->heads;
        int width = sum[i].out->cols / heads;
        for (int h = 0; h < heads; h++) {
            product_of(product, v[i] + h / group * d * width,
                       o[i] + h * width * d, d, width, d, false);
            for (int head = 0; head < c->heads; head++) {
                double share = share_of(p, head, &sum[i], h);
                for (int k = 0; share != 0 && k < d * d; k++)
                    c->n[head * d * d + k] += share * product[k];
            }
        }
        free(v[i]);
        free(o[i]);
    }
    free(product);
    free(v);
    free(o);
    free(none);
}

double
bias_entry(const Canonical *c, int head, int k)
{
    return head < c->heads && c->bias ? c->bias[head * BIAS_SIZE + k]
           : k == SINK                ? -INFINITY
                                      : 0;
}

/* What scores are of tokens that are all 0: a bias by position, if anything;
   and the sinks. */
static void
find_biases(Probe *p, Canonical *c)
{
    bool any = false;
    real *none = allocate((size_t)(BIASED * c->d_model), sizeof *none);
    double *bias = allocate((size_t)(c->heads * BIAS_SIZE), sizeof *bias);
    run(p, none, BIASED, none, BIASED, NOTHING);
    for (int head = 0; head < c->heads; head++) {
        Head at = head_at(p, head);
        const Call *call = &p->recording.call[at.i];
        const Node *s = call->v ? NULL : call->out->in[0];
        double *b = bias + head * BIAS_SIZE;
        for (int k = 0; s && k < SINK; k++) {
            int row = k / BIASED, key = at.h * BIASED + k % BIASED;
            b[k] = (double)s->value[row * s->cols + key];
            any |= b[k] != 0;
        }
        b[SINK] = s ? sink_of(call->out, at.h) : -INFINITY;
        any |= b[SINK] > -INFINITY;
    }
    c->bias = any ? bias : NULL;
    free(any ? NULL : bias);
    free(none);
}

/* Notes a difference, and the largest entry that it is relative to. */
static void
compare(double found, double wanted, double *apart, double *largest)
{
    if (isinf(wanted) && found == wanted) /* masked */
        return;
    *apart = fmax(*apart, fabs(found - wanted));
    *largest = fmax(*largest, fabs(wanted));
    if (isnan(found))
        *apart = INFINITY;
}

/* x M y', tokens by tokens, with M that of each distance; the first of x is at
   `position`. */
static void
products_of(const Canonical *c, int head, const double *x, const double *y,
            int position, double *products)
{
    int d = c->d_model, wide = c->width ? c->width : d;
    double *xm = allocate((size_t)((X_TOKENS + Y_TOKENS) * wide), sizeof *xm);
    double *yk = xm + X_TOKENS * wide, at[X_TOKENS * Y_TOKENS];
    if (!c->width) {
        product_of(xm, x, c->m + head * d * d, X_TOKENS, d, d, false);
        product_of(products, xm, y, X_TOKENS, d, Y_TOKENS, true);
    } else {
        Rotated tokens = {X_TOKENS, Y_TOKENS, wide, xm, yk};
        product_of(xm, x, c->q + head * d * wide, X_TOKENS, d, wide, false);
        product_of(yk, y, c->k + head * d * wide, Y_TOKENS, d, wide, false);
        for (int i = 0; i < X_TOKENS * Y_TOKENS; i++) {
            rotated_product(&tokens, position + i / Y_TOKENS - i % Y_TOKENS,
                            at);
            products[i] = at[i];
        }
    }
    free(xm);
}

/* Compares the scores s x M y' + b (x tokens x y tokens) of one head with those
   of the call, and finds the weights that the call made of them. */
static void
compare_scores(const Canonical *c, int head, const Call *call, int h,
               const double *x, const double *y, int position, double *weights,
               double *apart, double *largest)
{
    double found[X_TOKENS * Y_TOKENS], wanted[X_TOKENS * Y_TOKENS];
    products_of(c, head, x, y, position, wanted);
    call_weights(call, 0, h, found, weights);
    for (int i = 0; i < X_TOKENS * Y_TOKENS; i++) {
        int at = (position + i / Y_TOKENS) * BIASED + i % Y_TOKENS;
        compare(found[i], c->scale[head] * wanted[i] + bias_entry(c, head, at),
                apart, largest);
    }
}

/* How far the variant is from its canonical form on random tokens of standard
   deviation `size`, of which x begins at `position`, in scores and in output,
   relative to the largest. */
static double
deviation(Probe *p, const Canonical *c, double size, int position)
{
    int d = c->d_model, head = 0, xn = X_TOKENS * d, yn = Y_TOKENS * d;
    Random r = random_stream(1, "probe");
    real *x = allocate((size_t)(xn + yn), sizeof *x), *y = x + xn;
    double *xd = allocate((size_t)(2 * (xn + yn)), sizeof *xd);
    double *yd = xd + xn, *carried = yd + yn, *out = carried + yn;
    double weights[X_TOKENS * Y_TOKENS], part[2] = {0}, largest[2] = {0};
    for (int i = 0; i < xn + yn; i++)
        xd[i] = (double)(x[i] = (real)(size * random_normal(&r)));
    p->attention.position = position;
    run(p, x, X_TOKENS, y, Y_TOKENS, NOTHING);
    for (int i = 0; i < p->recording.calls && i < MOST_CALLS; i++) {
        Call *call = &p->recording.call[i];
        if (call_queries(call) != X_TOKENS || call_keys(call) != Y_TOKENS) {
            part[1] = INFINITY; /* queries are not x's, or keys not y's */
            break;
        }
        for (int h = 0; h < call->out->heads && head < c->heads; h++, head++) {
            compare_scores(c, head, call, h, xd, yd, position, weights,
                           &part[0], &largest[0]);
            product_of(carried, yd, c->n + head * d * d, Y_TOKENS, d, d, false);
            for (int t = 0; t < X_TOKENS; t++)
                for (int k = 0; k < Y_TOKENS; k++)
                    for (int j = 0; j < d; j++)
                        out[t * d + j] +=
                            weights[t * Y_TOKENS + k] * carried[k * d + j];
        }
    }
    for (int i = 0; i < xn; i++)
        compare((double)p->out->value[i], out[i], &part[1], &largest[1]);
    free(x);
    free(xd);
    return fmax(part[0] / (largest[0] > 0 ? largest[0] : 1),
                part[1] / (largest[1] > 0 ? largest[1] : 1));
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
canonical_allocate(Canonical *c, int heads, int width)
{
    size_t h = (size_t)heads, d = (size_t)c->d_model, w = (size_t)width;
    c->heads = heads;
    c->width = width;
    c->m = allocate(h * d * d, sizeof *c->m);
    c->n = allocate(h * d * d, sizeof *c->n);
    c->q = allocate(h * d * w, sizeof *c->q);
    c->k = allocate(h * d * w, sizeof *c->k);
    c->scale = allocate(h, sizeof *c->scale);
}

/* The width of all heads, where these are rotated; -1 where they differ, and so
   turn at other speeds, or where scores are of several products. */
static int
rotated_width(const Probe *p)
{
    int width = 0;
    for (int i = 0; i < p->recording.calls; i++) {
        const Node *q = p->recording.call[i].q;
        int own = q ? q->cols / q->heads : -1;
        width = i && own != width ? -1 : own;
        if (width < 0)
            break;
    }
    return p->attention.relative == ROPE ? width : 0;
}

/* Probes, multiplies and proves; p's recording has counted the calls. */
static void
find_form(Probe *p, Canonical *c)
{
    int d = c->d_model, heads = 0, width = rotated_width(p);
    size_t square = (size_t)d * (size_t)d;
    real *identity = allocate(2 * square, sizeof *identity);
    for (int i = 0; i < d; i++)
        identity[(size_t)i * (size_t)(d + 1)] = 1;
    for (int i = 0; i < p->recording.calls; i++)
        heads += p->recording.call[i].out->heads;
    canonical_allocate(c, heads, width);
    find_products(p, c, identity, identity + square);
    find_n(p, c, identity, identity + square);
    if (p->recording.softmaxes) {
        find_mixtures(p, c, identity, identity + square);
        find_biases(p, c);
    }
    free(identity);
    int later = p->attention.relative ? 3 : 0;
    c->deviation = fmax(deviation(p, c, 1, 0), deviation(p, c, 8, later));
    if (!(c->deviation <= (sizeof(real) == 4 ? 1e-4 : 1e-10)))
        give_up(c,
                p->recording.rotated
                    ? "it rotates by the position itself: M is found at each "
                      "distance only where positions are rope"
                    : "not linear in its tokens, or it knows their positions",
                p->recording.rotated ? NAN : c->deviation);
}

Canonical
canonical_form(const Variant *v, Attention a, const Weights *w,
               real *const *values)
{
    Canonical c = {.d_model = a.d_model};
    Probe p = {.variant = v, .attention = a, .weights = w, .values = values};
    for (int i = 0; i < w->count; i++)
        for (int k = 0; k < w->list[i].rows * w->list[i].cols; k++)
            if (!isfinite(values[i][k])) {
                snprintf(c.why, sizeof c.why,
                         "%s holds numbers that are not finite, as after a "
                         "training that diverged",
                         w->list[i].name);
                c.deviation = NAN;
                return c;
            }
    real *zero = allocate((size_t)a.d_model, sizeof *zero);
    p.attention.causal = 0;
    p.attention.recording = &p.recording;
    p.first = true;
    run(&p, zero, 1, zero, 1, NOTHING);
    p.first = false;
    free(zero);
    if (p.recording.recalled)
        give_up(&c,
                "it recalls what an earlier block remembered, and so is no "
                "function of its own tokens alone",
                NAN);
    else if (p.recording.calls == 0)
        give_up(&c, "it never calls attend or softmax", NAN);
    else if (p.recording.calls > MOST_CALLS || p.recording.sums > MOST_CALLS)
        give_up(&c, "it calls attend too often", NAN);
    else if (rotated_width(&p) < 0)
        give_up(&c, "its heads are rotated, and differ in width or are mixed",
                NAN);
    else
        find_form(&p, &c);
    tape_free(p.tape);
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
    free(c->q);
    free(c->k);
    c->m = c->n = c->scale = c->bias = c->q = c->k = NULL;
}

Rotated
canonical_rotated(const Canonical *c, int head)
{
    int size = c->d_model * c->width;
    return (Rotated){c->d_model, c->d_model, c->width, c->q + head * size,
                     c->k + head * size};
}
