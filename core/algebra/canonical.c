/* canonical.c - what a variant computes, found by probing it.

   With unit vectors for x and y, the scores of a head are its M. If each token
   of this head then looks only at itself, and no other head looks at anything,
   the output is the head's N. A last token that is 0 shows what biases add.
   This holds if the variant is affine except for its softmax; random tokens
   then show whether it is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/capture.h"
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/matrix.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "operators/biases.h"
#include "training/positions.h"

enum { X_TOKENS = 5, Y_TOKENS = 7 };

/* Runs the variant on `rows` tokens as x and rows + 1 as y: the first `units`
   tokens are unit vectors, the others are 0. `only` is as in capture.h. */
static void
run_on_units(Alone *p, int units, int rows, int only)
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

/* Does a head lack a sink? If so, the softmax cancels whatever is added to a
   whole row of its scores. */
static bool
row_constants_cancel(const Canonical *c, int head)
{
    return c->sink[head] == -INFINITY;
}

/* Finds the bias by position of a head, from its scores for tokens that are all
   0: they are this bias plus a constant. If the constant cancels, it is chosen
   so that the first entry of the bias is 0. Returns whether any entry of the
   bias is not 0. */
static bool
find_bias(Canonical *c, int head, Matrix scores)
{
    int count = c->positions;
    double *bias = c->bias + head * count * count, constant = 0;
    bool any = false;
    if (row_constants_cancel(c, head) && isfinite(at(scores, 0, 0)))
        constant = at(scores, 0, 0);
    for (int k = 0; k < count * count; k++) {
        bias[k] = at(scores, k / count, k % count) - constant;
        any |= bias[k] != 0;
    }
    return any;
}

/* Finds the sinks and biases of all heads, after a run on tokens that are all
   0. */
static void
find_biases(const Alone *p, Canonical *c)
{
    int count = c->positions, own;
    bool any = false;
    c->bias =
        allocate(matrix_entries(c->heads * count, count), sizeof *c->bias);
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&p->capture, 0, head, &own);
        c->sink[head] = sink_of(call->weights, own);
        any |= find_bias(c, head, call_scores(call, 0, own));
    }
    if (!any) {
        free(c->bias);
        c->bias = NULL;
    }
}

/* Adds `sign` times the scores to each s_i M_i, leaving out what the bias of
   keys adds to a row. It is called with the scores of unit vectors, and with -1
   for the scores of tokens that are 0: that difference also removes biases by
   position, even if the scores of several heads were mixed. */
static void
add_scores(const Alone *p, Canonical *c, int sign)
{
    int d = c->d_model, own;
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&p->capture, 0, head, &own);
        Matrix s = head_of(call->product, call->product->value, 0, own);
        double *m = c->m + head * c->size;
        for (int i = 0; i < c->size; i++)
            m[i] +=
                sign * call->scale * (at(s, i / d, i % d) - at(s, i / d, d));
    }
}

/* Subtracts the last row of a (d + 1) x d matrix, which the token that is 0
   made, from the rows above it. */
static void
subtract_last(double *matrix, int d)
{
    for (int i = 0; i < d * d; i++)
        matrix[i] -= matrix[d * d + i % d];
}

/* Finds all M_i and N_i, after a run on tokens that are 0 in which no head
   looked at anything. */
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
        run_on_units(p, d, d + 1, call->first + own);
        for (int i = 0; i < c->size; i++)
            n[i] = (double)p->out->value[i] - c->constant[i % d];
        subtract_last(n, d);
    }
    add_scores(p, c, 1);
    for (int head = 0; head < c->heads; head++)
        subtract_last(c->m + head * c->size, d);
}

/* Moves the last row of N_i into the constant, if the head has no sink: its
   weights sum to 1, so the row is added to every token, as the bias of W^O is.
 */
static void
join_constants(Canonical *c)
{
    int d = c->d_model;
    for (int head = 0; head < c->heads; head++) {
        double *last = c->n + (head + 1) * c->size - d;
        if (!row_constants_cancel(c, head))
            continue;
        for (int j = 0; j < d; j++) {
            c->constant[j] += last[j];
            last[j] = 0;
        }
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

/* to = s [x 1] M y' + b, the scores of a head by the form, X_TOKENS x keys. */
static void
scores_by_form(double *to, const Canonical *c, int head, const double *x,
               const double *y, int keys, int position)
{
    int d = c->d_model, count = c->positions;
    double *xm = allocate((size_t)X_TOKENS * d, sizeof *xm);
    apply(xm, x, X_TOKENS, c->m + head * c->size, d);
    product_of(to, xm, y, X_TOKENS, d, keys, true);
    free(xm);
    if (!c->bias)
        return;
    for (int i = 0; i < X_TOKENS; i++) {
        const double *row = c->bias + (head * count + position + i) * count;
        for (int j = 0; j < keys; j++)
            to[i * keys + j] += row[j];
    }
}

/* Compares a row of scores with the row by the form, `wanted`. If constants
   cancel, the two may differ by a constant: it is taken from the first key that
   is not masked. */
static void
compare_row(Difference *apart, Matrix found, int row, const double *wanted,
            bool constants_cancel)
{
    int first = 0;
    double found_constant = 0, wanted_constant = 0;
    while (first < found.cols && !(wanted[first] > -INFINITY))
        first++;
    if (constants_cancel && first < found.cols) {
        found_constant = at(found, row, first);
        wanted_constant = wanted[first];
    }
    for (int j = 0; j < found.cols; j++)
        compare_entries(apart, at(found, row, j) - found_constant,
                        wanted[j] - wanted_constant);
}

/* Does each call have a query for each token of x, and a key for each of y? */
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

/* Random tokens of standard deviation `size`: X_TOKENS of x, and then `keys` of
   y. Under a causal mask y is x. */
static real *
random_tokens(const Alone *p, double size, int keys)
{
    int d = p->attention.d_model, of_x = X_TOKENS * d, all = of_x + keys * d;
    Random r = random_stream(1, "probe");
    real *x = allocate((size_t)all, sizeof *x);
    for (int i = 0; i < all; i++)
        x[i] = (real)(size * random_normal(&r));
    if (p->attention.causal)
        memcpy(x + of_x, x, (size_t)of_x * sizeof *x);
    return x;
}

/* out += weights [y 1] N, what a head with this N adds to the output. */
static void
add_head_output(double *out, Matrix weights, const double *y, const double *n,
                int d)
{
    double *values = allocate((size_t)weights.cols * d, sizeof *values);
    apply(values, y, weights.cols, n, d);
    for (int i = 0; i < weights.rows; i++)
        for (int key = 0; key < weights.cols; key++)
            for (int j = 0; j < d; j++)
                out[i * d + j] += at(weights, i, key) * values[key * d + j];
    free(values);
}

/* The differences of scores and of outputs from those by the form. */
typedef struct Deviation {
    Difference scores, output;
} Deviation;

/* Compares what the variant has computed for random tokens, X_TOKENS of x and
   then `keys` of y, with the form. */
static Deviation
compare_with_form(const Alone *p, const Canonical *c, const real *tokens,
                  int keys)
{
    int d = c->d_model, of_x = X_TOKENS * d, all = of_x + keys * d, own;
    Deviation apart = {.scores = {.apart = 0}};
    double wanted[X_TOKENS * Y_TOKENS];
    double *x = allocate((size_t)all, sizeof *x), *y = x + of_x;
    double *out = allocate((size_t)of_x, sizeof *out);
    for (int i = 0; i < all; i++)
        x[i] = (double)tokens[i];
    for (int i = 0; i < of_x; i++)
        out[i] = c->constant[i % d];
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&p->capture, 0, head, &own);
        scores_by_form(wanted, c, head, x, y, keys, p->attention.position);
        for (int i = 0; i < X_TOKENS; i++)
            compare_row(&apart.scores, call_scores(call, 0, own), i,
                        wanted + i * keys, row_constants_cancel(c, head));
        add_head_output(out, call_weights(call, 0, own), y,
                        c->n + head * c->size, d);
    }
    for (int i = 0; i < of_x; i++)
        compare_entries(&apart.output, (double)p->out->value[i], out[i]);
    free(out);
    free(x);
    return apart;
}

/* How far the variant is from its canonical form on random tokens of standard
   deviation `size`, of which x begins at `position`: the largest difference of
   scores or outputs, relative to the largest score or output. */
static double
deviation(Alone *p, const Canonical *c, double size, int position)
{
    int keys = p->attention.causal ? X_TOKENS : Y_TOKENS;
    real *tokens = random_tokens(p, size, keys);
    real *y = tokens + X_TOKENS * c->d_model;
    p->attention.position = position;
    run_alone(p, tokens, X_TOKENS, y, keys, EVERY_HEAD);
    Deviation apart = compare_with_form(p, c, tokens, keys);
    p->broken |= isinf(apart.output.apart);
    free(tokens);
    return fmax(relative_difference(apart.scores),
                relative_difference(apart.output));
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

/* The sizes of random tokens, and a later position of the first of them. */
enum { SMALL = 1, LARGE = 8, LATER = 3 };

/* Probes for the form, after p has run on tokens that are 0, and checks it:
   without a mask with small and with large tokens, the large ones at a later
   position if positions are in the scores; then with a causal mask, which only
   decides if `causal`. Returns why there is no form, or NULL. */
static const char *
find_form(Alone *p, Canonical *c, bool causal)
{
    canonical_allocate(c, p->capture.place[0].heads);
    find_biases(p, c);
    find_maps(p, c);
    join_constants(c);
    int later = p->attention.relative ? LATER : 0;
    double most = sizeof(real) == 4 ? 1e-4 : 1e-10;
    c->deviation =
        fmax(deviation(p, c, SMALL, 0), deviation(p, c, LARGE, later));
    if (c->deviation <= most) {
        p->attention.causal = 1;
        double masked = deviation(p, c, SMALL, 0);
        c->unmasked_only = !(masked <= most);
        c->deviation = causal ? masked : c->deviation;
    }
    if (c->deviation <= most)
        return NULL;
    if (c->unmasked_only)
        return "its form holds only without a mask, and its mask is causal";
    if (p->broken)
        return "its output is not finite, as after a training that diverged";
    if (p->capture.rotated)
        return "it rotates by the position itself, so M_i is a different "
               "matrix at each distance";
    return "it is not linear in its tokens, or depends on their positions";
}

/* Runs p on tokens that are 0, and probes it for its form. Returns why there is
   no form, or NULL. */
static const char *
probe(Alone *p, Canonical *c, bool causal)
{
    int d = p->attention.d_model;
    int rows = (c->positions > d ? c->positions : d) + 1;
    if (p->variant->calls != ANY_CALL)
        return "it is for self-attention only, and a form is found by giving "
               "it different tokens as x and y";
    run_on_units(p, 0, rows, NO_HEAD);
    if (p->recalled)
        return "it recalls what an earlier block remembered, so it is not a "
               "function of its own tokens alone";
    if (!p->capture.calls)
        return "it never calls attend or softmax";
    if (!one_of_each(p, rows, rows + 1))
        return "it does not make one query, key and value for each token";
    return find_form(p, c, causal);
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
    const char *why = probe(&p, &c, a.causal);
    if (why) {
        canonical_free(&c);
        bool far = !isnan(c.deviation) && !p.broken;
        snprintf(c.why, sizeof c.why, far ? "%s: off by %.2g" : "%s", why,
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

/* Entry k of a head's bias by position; 0 if it has none. */
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
    free(c->m); /* n, constant and sink are in the same block */
    free(c->bias);
    c->m = c->bias = NULL;
}
