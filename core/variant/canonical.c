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
    Tape *tape; /* of the last run */
    Node *out;  /* what it returned */
} Probe;

/* Runs forward on x (rows x d_model) and y, measured first. Call `replaced` of
   the run before (-1: none) returns the identity. */
static void
run(Probe *p, real *x, int x_rows, real *y, int y_rows, int replaced)
{
    Tape *measured = tape_measure();
    Node **w = allocate((size_t)p->weights->count, sizeof *w);
    int number = replaced < 0 ? -1 : p->recording.call[replaced].number;
    tape_free(p->tape);
    p->tape = measured;
    for (int round = 0; round < 2; round++) {
        p->recording = (Recording){.replaced = number};
        for (int i = 0; i < p->weights->count; i++)
            w[i] = leaf(p->tape, p->weights->list[i].rows,
                        p->weights->list[i].cols, 1, p->values[i], NULL);
        Node *xn = leaf(p->tape, x_rows, p->attention.d_model, 1, x, NULL);
        Node *yn = leaf(p->tape, y_rows, p->attention.d_model, 1, y, NULL);
        p->out = plugin_forward(p->variant, &p->attention, xn, yn, w);
        record_place(&p->recording, (Place){.out = p->out});
        if (round == 0)
            p->tape = tape_fitting(measured);
    }
    tape_free(measured);
    free(w);
}

/* Entry i, j of head h of a matrix. */
static double
entry(const Node *n, int i, int h, int j)
{
    int width = n->cols / n->heads;
    return (double)
        n->value[(size_t)i * (size_t)n->cols + (size_t)(h * width + j)];
}

/* What one run yields of a call: head after head, each (rows x width). */
static double *
copied(const Node *n)
{
    int width = n->cols / n->heads;
    double *copy = allocate((size_t)n->rows * (size_t)n->cols, sizeof *copy);
    for (int h = 0; h < n->heads; h++)
        for (int i = 0; i < n->rows; i++)
            for (int j = 0; j < width; j++)
                copy[(h * n->rows + i) * width + j] = entry(n, i, h, j);
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

/* The maps around one call, as the probe reads them. */
typedef struct Maps {
    double *q, *k, *v, *o; /* head after head; o (heads*d_v x d_model) */
    int heads, k_heads, v_heads, d_k, d_v;
    double scale;
} Maps;

static void
maps_free(Maps *maps, int calls)
{
    for (int i = 0; i < calls; i++) {
        free(maps[i].q);
        free(maps[i].k);
        free(maps[i].v);
        free(maps[i].o);
    }
    free(maps);
}

/* Reads the maps around each of the calls; to be freed by maps_free. */
static Maps *
read_maps(Probe *p, int calls, real *identity, real *zero)
{
    int d = p->attention.d_model;
    Maps *maps = allocate((size_t)calls, sizeof *maps);
    run(p, identity, d, zero, d, -1);
    for (int i = 0; i < calls; i++) {
        Call *c = &p->recording.call[i];
        maps[i] = (Maps){.q = copied(c->q),
                         .heads = c->q->heads,
                         .k_heads = c->k->heads,
                         .v_heads = c->v->heads,
                         .d_k = c->q->cols / c->q->heads,
                         .d_v = c->v->cols / c->v->heads,
                         .scale = c->scale};
    }
    run(p, zero, d, identity, d, -1);
    for (int i = 0; i < calls; i++) {
        maps[i].k = copied(p->recording.call[i].k);
        maps[i].v = copied(p->recording.call[i].v);
    }
    for (int i = 0; i < calls; i++) {
        int width = maps[i].heads * maps[i].d_v;
        real *none = allocate((size_t)width * (size_t)d, sizeof *none);
        run(p, none, width, none, width, i);
        maps[i].o = copied(p->out);
        free(none);
    }
    return maps;
}

/* M_i = W_i^Q W_i^K',  N_i = W_i^V W_i^O for every head of every call. */
static void
multiply_maps(Canonical *c, const Maps *maps, int calls)
{
    int d = c->d_model, head = 0;
    for (int i = 0; i < calls; i++) {
        const Maps *a = &maps[i];
        for (int h = 0; h < a->heads; h++, head++) {
            int kh = h / (a->heads / a->k_heads);
            int vh = h / (a->heads / a->v_heads);
            product_of(c->m + head * d * d, a->q + h * d * a->d_k,
                       a->k + kh * d * a->d_k, d, a->d_k, d, true);
            product_of(c->n + head * d * d, a->v + vh * d * a->d_v,
                       a->o + h * a->d_v * d, d, a->d_v, d, false);
            c->scale[head] = a->scale;
        }
    }
}

/* Notes a difference, and the largest entry that it is relative to. */
static void
compare(double found, double wanted, double *apart, double *largest)
{
    *apart = fmax(*apart, fabs(found - wanted));
    *largest = fmax(*largest, fabs(wanted));
    if (isnan(found))
        *apart = INFINITY;
}

/* Compares the scores s x M y' (x tokens x y tokens) of one head with those of
   the call, and finds the weights that the call made of them. */
static void
compare_scores(const Canonical *c, int head, const Call *call, int h,
               const double *x, const double *y, double *weights, double *apart,
               double *largest)
{
    int d = c->d_model;
    double *xm = allocate((size_t)(X_TOKENS * d), sizeof *xm);
    double found[X_TOKENS * Y_TOKENS], wanted[X_TOKENS * Y_TOKENS];
    product_of(xm, x, c->m + head * d * d, X_TOKENS, d, d, false);
    product_of(wanted, xm, y, X_TOKENS, d, Y_TOKENS, true);
    call_weights(call, 0, h, found, weights);
    for (int i = 0; i < X_TOKENS * Y_TOKENS; i++)
        compare(found[i], c->scale[head] * wanted[i], apart, largest);
    free(xm);
}

/* How far the variant is from its canonical form on random tokens of standard
   deviation `size`, in scores and in output, relative to the largest. */
static double
deviation(Probe *p, const Canonical *c, double size)
{
    int d = c->d_model, head = 0, xn = X_TOKENS * d, yn = Y_TOKENS * d;
    Random r = random_stream(1, "probe");
    real *x = allocate((size_t)(xn + yn), sizeof *x), *y = x + xn;
    double *xd = allocate((size_t)(2 * (xn + yn)), sizeof *xd);
    double *yd = xd + xn, *carried = yd + yn, *out = carried + yn;
    double weights[X_TOKENS * Y_TOKENS], part[2] = {0}, largest[2] = {0};
    for (int i = 0; i < xn + yn; i++)
        xd[i] = (double)(x[i] = (real)(size * random_normal(&r)));
    run(p, x, X_TOKENS, y, Y_TOKENS, -1);
    for (int i = 0; i < p->recording.calls && i < MOST_CALLS; i++) {
        Call *call = &p->recording.call[i];
        if (call->q->rows != X_TOKENS || call->k->rows != Y_TOKENS) {
            part[1] = INFINITY; /* queries are not x's, or keys not y's */
            break;
        }
        for (int h = 0; h < call->q->heads && head < c->heads; h++, head++) {
            compare_scores(c, head, call, h, xd, yd, weights, &part[0],
                           &largest[0]);
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

/* Probes, multiplies and proves; p's recording has counted the calls. */
static void
find_form(Probe *p, Canonical *c)
{
    int d = c->d_model, calls = p->recording.calls;
    size_t square = (size_t)d * (size_t)d;
    real *identity = allocate(2 * square, sizeof *identity);
    for (int i = 0; i < d; i++)
        identity[(size_t)i * (size_t)(d + 1)] = 1;
    Maps *maps = read_maps(p, calls, identity, identity + square);
    for (int i = 0; i < calls; i++)
        c->heads += maps[i].heads;
    c->m = allocate((size_t)c->heads * square, sizeof *c->m);
    c->n = allocate((size_t)c->heads * square, sizeof *c->n);
    c->scale = allocate((size_t)c->heads, sizeof *c->scale);
    multiply_maps(c, maps, calls);
    maps_free(maps, calls);
    free(identity);
    c->deviation = fmax(deviation(p, c, 1), deviation(p, c, 8));
    if (!(c->deviation <= (sizeof(real) == 4 ? 1e-4 : 1e-10)))
        give_up(c, "not linear in its tokens, or not alike in all places",
                c->deviation);
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
    run(&p, zero, 1, zero, 1, -1);
    free(zero);
    if (p.recording.softmaxes)
        give_up(&c, "it takes a softmax outside attend", NAN);
    else if (p.recording.calls == 0)
        give_up(&c, "it never calls attend", NAN);
    else if (p.recording.calls > MOST_CALLS)
        give_up(&c, "it calls attend too often", NAN);
    else
        find_form(&p, &c);
    tape_free(p.tape);
    return c;
}

void
canonical_free(Canonical *c)
{
    free(c->m);
    free(c->n);
    free(c->scale);
    c->m = c->n = c->scale = NULL;
}
