/* canonical.c - what a variant computes, found by probing it.

   With unit vectors for x and y, the scores of a head are its M. If then each
   token of this head looks only at itself, and no other head looks at anything,
   the output is its N. A last token that is 0 shows what biases add. That is
   true of a variant that is affine but for its softmax, and random tokens tell
   whether this one is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "algebra/canonical.h"
#include "algebra/capture.h"
#include "heart/attention.h"
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/matrix.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "operators/biases.h"
#include "training/positions.h"

enum { X_TOKENS = 5, Y_TOKENS = 7 };

/* Runs it on so many tokens as x, and one more as y: the first `units` are the
   unit vectors, and the others 0. */
static void
run_on(Alone *p, int units, int rows, int only)
{
    int d = p->attention.d_model;
    real *tokens = allocate((size_t)(rows + 1) * d, sizeof *tokens);
    for (int i = 0; i < units; i++)
        tokens[i * (d + 1)] = 1;
    run_alone(p, tokens, rows, tokens, rows + 1, only);
    free(tokens);
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

void
compare_entries(Difference *d, double found, double wanted)
{
    if (isinf(wanted) && found == wanted) /* masked */
        return;
    d->apart = isnan(found) ? INFINITY : fmax(d->apart, fabs(found - wanted));
    if (isfinite(wanted))
        d->largest = fmax(d->largest, fabs(wanted));
}

double
relative_difference(Difference d)
{
    return d.apart / (d.largest > 0 ? d.largest : 1);
}

static double
at(Matrix m, int i, int j)
{
    return (double)m.at[i * m.down + j];
}

double
sink_of(const Node *weights, int head)
{
    if (weights->op != &softmax_sink_op)
        return -INFINITY;
    return weights->inputs > 1 ? (double)weights->in[1]->value[head] : 0;
}

/* After a run on tokens that are all 0: then scores are their bias by position,
   and a number that all have, which the softmax cancels unless there is a sink.
 */
static void
find_biases(const Alone *p, Canonical *c)
{
    int count = c->positions, size = count * count, h;
    bool any = false;
    c->bias =
        allocate(matrix_entries(c->heads * count, count), sizeof *c->bias);
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&p->capture, 0, head, &h);
        Matrix s = call_scores(call, 0, h);
        c->sink[head] = sink_of(call->weights, h);
        bool cancels = c->sink[head] == -INFINITY && isfinite(at(s, 0, 0));
        double all = cancels ? at(s, 0, 0) : 0, *b = c->bias + head * size;
        for (int k = 0; k < size; k++)
            any |= (b[k] = at(s, k / count, k % count) - all) != 0;
    }
    free(any ? NULL : c->bias);
    c->bias = any ? c->bias : NULL;
}

/* Adds `sign` times the scores to each s_i M_i, without what the bias of keys
   adds to a row: after a run on the unit vectors, and subtracted after one on
   tokens that are 0, as heads may have been mixed with biases by position in
   them. */
static void
add_scores(const Alone *p, Canonical *c, int sign)
{
    int d = c->d_model, h;
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&p->capture, 0, head, &h);
        Matrix s = head_of(call->product, call->product->value, 0, h);
        double *m = c->m + head * c->size;
        for (int i = 0; i < c->size; i++)
            m[i] +=
                sign * call->scale * (at(s, i / d, i % d) - at(s, i / d, d));
    }
}

/* Where what is made of the token that is 0 stands in the last row of a matrix,
   subtracts it from those above. */
static void
subtract_last(double *matrix, int d)
{
    for (int i = 0; i < d * d; i++)
        matrix[i] -= matrix[d * d + i % d];
}

/* All M_i and N_i, after a run on tokens that are 0 in which no head looked at
   anything. */
static void
find_maps(Alone *p, Canonical *c)
{
    int d = c->d_model, own;
    for (int j = 0; j < d; j++)
        c->constant[j] = (double)p->out->value[j];
    add_scores(p, c, -1);
    for (int head = 0; head < c->heads; head++) {
        double *n = c->n + head * c->size;
        const Call *call = capture_head(&p->capture, 0, head, &own);
        run_on(p, d, d + 1, call->first + own);
        for (int i = 0; i < c->size; i++)
            n[i] = (double)p->out->value[i] - c->constant[i % d];
        subtract_last(n, d);
    }
    add_scores(p, c, 1);
    for (int head = 0; head < c->heads; head++)
        subtract_last(c->m + head * c->size, d);
}

/* Where weights sum to 1, the last row of N_i is added to every token, as the
   bias of W^O is. */
static void
join_constants(Canonical *c)
{
    int d = c->d_model;
    for (int head = 0; head < c->heads; head++)
        for (int j = 0; j < d && c->sink[head] == -INFINITY; j++) {
            double *last = c->n + (head + 1) * c->size - d + j;
            c->constant[j] += *last;
            *last = 0;
        }
}

/* to = [x 1] matrix */
static void
apply(double *to, const double *x, int tokens, const double *matrix, int d)
{
    product_of(to, x, matrix, tokens, d, d, false);
    for (int i = 0; i < tokens * d; i++)
        to[i] += matrix[d * d + i % d];
}

/* Compares the scores s [x 1] M y' + b (x tokens x y tokens) of one head with
   those found. The softmax cancels what is added to a whole row of scores,
   unless there is a sink: so each row may be off by a number of its own, which
   is taken from its first key that is not masked. */
static void
compare_scores(const Canonical *c, int head, Matrix found, const double *x,
               const double *y, int position, Difference *apart)
{
    int d = c->d_model, count = c->positions, keys = found.cols;
    double wanted[X_TOKENS * Y_TOKENS];
    double *xm = allocate((size_t)X_TOKENS * d, sizeof *xm);
    apply(xm, x, X_TOKENS, c->m + head * c->size, d);
    product_of(wanted, xm, y, X_TOKENS, d, keys, true);
    for (int i = 0; i < X_TOKENS; i++) {
        double *w = wanted + i * keys, of_found = 0, of_wanted = 0;
        bool free_row = c->sink[head] == -INFINITY;
        for (int j = 0; j < keys; j++) {
            int k = (head * count + position + i) * count + j;
            w[j] += c->bias ? c->bias[k] : 0;
            if (free_row && w[j] > -INFINITY) {
                of_found = at(found, i, j);
                of_wanted = w[j];
                free_row = false;
            }
        }
        for (int j = 0; j < keys; j++)
            compare_entries(apart, at(found, i, j) - of_found,
                            w[j] - of_wanted);
    }
    free(xm);
}

/* Has each call a query for each token of x, and a key for each of y? */
static bool
one_of_each(const Alone *p, int x_tokens, int y_tokens)
{
    bool each = true;
    for (int i = 0; i < p->capture.calls; i++) {
        Matrix s = call_scores(&p->capture.call[i], 0, 0);
        each &= s.rows == x_tokens && s.cols == y_tokens;
    }
    return each;
}

/* How far the variant is from its canonical form on random tokens of standard
   deviation `size`, of which x begins at `position`, in scores and in output,
   relative to the largest. Under a causal mask y is x. */
static double
deviation(Alone *p, const Canonical *c, double size, int position)
{
    int keys = p->attention.causal ? X_TOKENS : Y_TOKENS;
    int d = c->d_model, xn = X_TOKENS * d, yn = keys * d, h;
    Random r = random_stream(1, "probe");
    real *x = allocate((size_t)(xn + yn), sizeof *x), *y = x + xn;
    double *xd = allocate((size_t)2 * (xn + yn), sizeof *xd);
    double *yd = xd + xn, *carried = yd + yn, *out = carried + yn;
    Difference scores = {0}, output = {0};
    for (int i = 0; i < xn + yn; i++)
        xd[i] = (double)(x[i] = (real)(size * random_normal(&r)));
    for (int i = 0; p->attention.causal && i < xn; i++) {
        y[i] = x[i];
        yd[i] = xd[i];
    }
    for (int i = 0; i < xn; i++)
        out[i] = c->constant[i % d];
    p->attention.position = position;
    run_alone(p, x, X_TOKENS, y, keys, EVERY_HEAD);
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&p->capture, 0, head, &h);
        Matrix weights = call_weights(call, 0, h);
        compare_scores(c, head, call_scores(call, 0, h), xd, yd, position,
                       &scores);
        apply(carried, yd, keys, c->n + head * c->size, d);
        for (int i = 0; i < X_TOKENS * keys; i++)
            for (int j = 0; j < d; j++)
                out[i / keys * d + j] +=
                    at(weights, i / keys, i % keys) * carried[i % keys * d + j];
    }
    for (int i = 0; i < xn; i++)
        compare_entries(&output, (double)p->out->value[i], out[i]);
    p->broken |= isinf(output.apart);
    free(x);
    free(xd);
    return fmax(relative_difference(scores), relative_difference(output));
}

void
canonical_allocate(Canonical *c, int heads)
{
    int d = c->d_model;
    size_t size = matrix_entries(heads * (d + 1), d);
    c->heads = heads;
    c->size = (d + 1) * d;
    c->m = allocate(2 * size + (size_t)(d + heads), sizeof *c->m);
    c->n = c->m + size;
    c->constant = c->n + size;
    c->sink = c->constant + d;
}

/* Probes, and proves without a mask, then with one that is causal; p has run on
   tokens that are 0. Returns why there is no form, or NULL. */
static const char *
find_form(Alone *p, Canonical *c, bool causal)
{
    canonical_allocate(c, p->capture.place[0].heads);
    find_biases(p, c);
    find_maps(p, c);
    join_constants(c);
    int later = p->attention.relative ? 3 : 0;
    double most = sizeof(real) == 4 ? 1e-4 : 1e-10;
    c->deviation = fmax(deviation(p, c, 1, 0), deviation(p, c, 8, later));
    if (c->deviation <= most) {
        p->attention.causal = 1;
        double masked = deviation(p, c, 1, 0);
        c->unmasked_only = !(masked <= most);
        c->deviation = causal ? masked : c->deviation;
    }
    return c->deviation <= most ? NULL
           : c->unmasked_only
               ? "its form holds only without a mask, and this one is causal"
           : p->broken
               ? "it holds numbers that are not finite, as after a training "
                 "that diverged"
           : p->capture.rotated
               ? "it rotates by the position itself, so M_i is another matrix "
                 "at each distance"
               : "not linear in its tokens, or it knows their positions";
}

Canonical
canonical_form(const Variant *v, Attention a, Weights w, int positions)
{
    Canonical c = {.d_model = a.d_model, .rotated = a.relative == &rope};
    Alone p = {.variant = v, .attention = a, .weights = w};
    c.deviation = NAN;
    p.attention.causal = 0;
    if (c.rotated)
        p.attention.relative = NULL;
    c.positions = positions > X_TOKENS + 3 ? positions : X_TOKENS + 3;
    int rows = (c.positions > a.d_model ? c.positions : a.d_model) + 1;
    if (v->calls == ANY_CALL)
        run_on(&p, 0, rows, NO_HEAD);
    const char *why =
        v->calls != ANY_CALL ? "it is for self-attention only, and a form is "
                               "found by giving it different tokens as x and y"
        : p.recalled ? "it recalls what an earlier block remembered, and so is "
                       "not a function of only its own tokens"
        : !p.capture.calls ? "it never calls attend or softmax"
        : !one_of_each(&p, rows, rows + 1)
            ? "its queries, keys or values are not one of each token"
            : find_form(&p, &c, a.causal);
    if (why) {
        canonical_free(&c);
        bool far = !isnan(c.deviation) && !p.broken;
        snprintf(c.why, sizeof c.why, far ? "%s: misses by %.2g" : "%s", why,
                 c.deviation);
    }
    tape_free(p.tape);
    return c;
}

Canonical
model_form(const Model *m, int place)
{
    const ModelPlace *p = &m->place[place];
    Sizes z = m->sizes;
    return canonical_form(p->variant, p->attention, place_weights(m, place),
                          z.tokens > z.source ? z.tokens : z.source);
}

/* Entry k of that head's table by position, 0 if there is none. */
static double
bias_entry(const Canonical *c, int head, int k)
{
    int size = c->positions * c->positions;
    return head < c->heads && c->bias ? c->bias[head * size + k] : 0;
}

bool
equal_biases(const Canonical *a, const Canonical *b)
{
    Difference apart = {0};
    for (int h = 0; h < a->heads || h < b->heads; h++) {
        compare_entries(&apart, h < a->heads ? a->sink[h] : -INFINITY,
                        h < b->heads ? b->sink[h] : -INFINITY);
        for (int k = 0; k < a->positions * a->positions; k++)
            compare_entries(&apart, bias_entry(a, h, k), bias_entry(b, h, k));
    }
    return relative_difference(apart) <= (sizeof(real) == 4 ? 1e-5 : 1e-12);
}

void
canonical_free(Canonical *c)
{
    free(c->m);
    free(c->bias);
    c->m = c->bias = NULL;
}
