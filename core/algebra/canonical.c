/* canonical.c - what a variant computes, found by probing it.

   With the identity for x, and below it a token that is 0, the queries that
   reach attend are W^Q, each row with the bias added, and below them the bias
   itself. The same is true of keys and values; and where it is what attend is
   made to return, the output is W^O, and its bias. That is true of a variant
   that is affine up to attend and after it, and random tokens tell whether this
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

/* Runs it on so many tokens that are 0, or on the unit vectors and then tokens
   that are 0, as x and as y. */
static void
run_on(Probe *p, bool identity, int rows, int replaced)
{
    int d = p->attention.d_model;
    real *tokens = allocate((size_t)rows * d, sizeof *tokens);
    for (int i = 0; identity && i < rows && i < d; i++)
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

/* The same of what an affine map makes of the identity and, below it, a token
   that is 0: its matrix, and below that its bias. */
static double *
map_of(const Node *n, int first, int width)
{
    double *map = copied(n, first, width);
    int size = (n->rows - 1) * width;
    for (int i = 0; i < size; i++)
        map[i] -= map[size + i % width];
    return map;
}

/* The score, or weight, of query i and key j in head h of s. */
static double
score_at(const Node *s, int h, int i, int j)
{
    return (double)s->value[i * s->cols + h * (s->cols / s->heads) + j];
}

/* After a run on tokens that are all 0: then scores are their bias by position,
   if anything, and a number that all have, which the softmax cancels unless
   there is a sink. */
static void
find_biases(const Probe *p, Canonical *c)
{
    int count = c->positions, size = count * count, h;
    bool any = false;
    c->bias =
        allocate(matrix_entries(c->heads * count, count), sizeof *c->bias);
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&p->capture, 0, head, &h);
        c->sink[head] = call->v ? -INFINITY : sink_of(call->out, h);
        if (call->v)
            continue;
        Node *s = call->out->in[0];
        bool sums_to_1 = c->sink[head] == -INFINITY;
        double all = sums_to_1 ? score_at(unbiased(s), h, 0, 0) : 0;
        double *b = c->bias + head * size;
        for (int k = 0; k < size; k++)
            any |= (b[k] = score_at(s, h, k / count, k % count) - all) != 0;
    }
    free(any ? NULL : c->bias);
    c->bias = any ? c->bias : NULL;
}

/* Of each head that is no single product, because heads are mixed, as talking
   heads are, adds `factor` times the scores to M: after a run on the identity,
   which has positions too, and one without any tokens. */
static void
add_mixed(const Probe *p, Canonical *c, int factor)
{
    int d = c->d_model, h;
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&p->capture, 0, head, &h);
        const Node *s = unbiased(call->out->in[0]);
        double *m = c->m + head * c->size;
        for (int i = 0; !call->q && i < c->size; i++)
            m[i] += factor *
                    (score_at(s, h, i / d, i % d) - score_at(s, h, i / d, d));
    }
}

/* M_i, after a run on the identity: W_i^Q W_i^K' where scores are one product,
   with the query's bias in its last row. */
static void
find_m(const Probe *p, Canonical *c)
{
    int d = c->d_model, h;
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&p->capture, 0, head, &h);
        const Node *q = call->q, *k = call->k;
        double *m = c->m + head * c->size;
        c->scale[head] = q ? call->scale : 1;
        for (int i = 0; !q && i < d * d; i++)
            m[i] -= m[d * d + i % d];
        if (!q)
            continue;
        int width = q->cols / q->heads, shared = h / (q->heads / k->heads);
        double *w_q = map_of(q, h * width, width);
        double *w_k = map_of(k, shared * width, width);
        product_of(m, w_q, w_k, d + 1, width, d, true);
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

/* W^O is what the variant makes of the identity instead of the sum; its bias,
   which is there whichever sum it is, becomes the constant. */
static Output *
find_outputs(Probe *p, Canonical *c)
{
    int sums = p->capture.sums, d = c->d_model;
    Output *all = allocate((size_t)sums, sizeof *all);
    for (int i = 0; i < sums; i++) {
        int width = p->capture.sum[i].out->cols;
        run_on(p, false, width + 1, i);
        all[i].o = map_of(p->out, 0, d);
        for (int j = 0; j < d; j++)
            c->constant[j] = all[i].o[width * d + j];
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
    double *product = allocate((size_t)c->size, sizeof *product);
    for (int i = 0; i < p->capture.sums; i++) {
        const Sum *s = &p->capture.sum[i];
        int heads = s->out->heads, group = heads / s->v->heads;
        int width = s->out->cols / heads;
        const double *share = outputs[i].share;
        for (int h = 0; h < heads; h++) {
            double *v = map_of(s->v, h / group * width, width);
            product_of(product, v, outputs[i].o + h * width * d, d + 1, width,
                       d, false);
            for (int head = 0; head < c->heads; head++, share++)
                for (int k = 0; *share != 0 && k < c->size; k++)
                    c->n[head * c->size + k] += *share * product[k];
            free(v);
        }
        free(outputs[i].o);
        free(outputs[i].share);
    }
    free(product);
    free(outputs);
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

/* to = [x 1] matrix */
static void
apply(double *to, const double *x, int tokens, const double *matrix, int d)
{
    product_of(to, x, matrix, tokens, d, d, false);
    for (int i = 0; i < tokens * d; i++)
        to[i] += matrix[d * d + i % d];
}

/* Compares the scores s [x 1] M y' + b (x tokens x y tokens) of one head with
   those of the call, and finds the weights that the call made of them. With
   free_rows each row may be off by a number of its own, which is taken from
   its first key that is not masked. */
static void
compare_scores(const Canonical *c, int head, const Call *call, int h,
               const double *x, const double *y, int position, bool free_rows,
               double *weights, Gap *gap)
{
    int d = c->d_model, count = c->positions;
    double found[X_TOKENS * Y_TOKENS], wanted[X_TOKENS * Y_TOKENS];
    double *xm = allocate((size_t)X_TOKENS * d, sizeof *xm);
    apply(xm, x, X_TOKENS, c->m + head * c->size, d);
    product_of(wanted, xm, y, X_TOKENS, d, Y_TOKENS, true);
    call_weights(call, 0, h, found, weights);
    for (int i = 0; i < X_TOKENS; i++) {
        double *f = found + i * Y_TOKENS, *w = wanted + i * Y_TOKENS;
        int first = -1;
        for (int j = 0; j < Y_TOKENS; j++) {
            int at = (head * count + position + i) * count + j;
            w[j] = c->scale[head] * w[j] + (c->bias ? c->bias[at] : 0);
            first = first < 0 && w[j] > -INFINITY ? j : first;
        }
        bool free_row = free_rows && first >= 0;
        double of_found = free_row ? f[first] : 0;
        double of_wanted = free_row ? w[first] : 0;
        for (int j = 0; j < Y_TOKENS; j++)
            compare(f[j] - of_found, w[j] - of_wanted, gap);
    }
    free(xm);
}

/* How far the variant is from its canonical form on random tokens of standard
   deviation `size`, of which x begins at `position`, in scores and in output,
   relative to the largest. The softmax cancels what is added to a whole row of
   scores, unless there is a sink, or it is as if there were none. */
static double
deviation(Probe *p, const Canonical *c, double size, int position,
          bool without_sink)
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
    for (int i = 0; i < xn; i++)
        out[i] = c->constant[i % d];
    p->attention.position = position;
    run(p, x, X_TOKENS, y, Y_TOKENS, NOTHING);
    for (int head = 0; head < c->heads; head++) {
        int h;
        const Call *call = capture_head(&p->capture, 0, head, &h);
        if (call_queries(call) != X_TOKENS || call_keys(call) != Y_TOKENS) {
            output.apart = INFINITY; /* queries are not x's, or keys not y's */
            break;
        }
        compare_scores(c, head, call, h, xd, yd, position,
                       without_sink || c->sink[head] == -INFINITY, weights,
                       &scores);
        apply(carried, yd, Y_TOKENS, c->n + head * c->size, d);
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

void
canonical_allocate(Canonical *c, int heads)
{
    int d = c->d_model;
    size_t size = matrix_entries(heads * (d + 1), d);
    c->heads = heads;
    c->size = (d + 1) * d;
    c->m = allocate(size, sizeof *c->m);
    c->n = allocate(size, sizeof *c->n);
    c->scale = allocate((size_t)heads, sizeof *c->scale);
    c->sink = allocate((size_t)heads, sizeof *c->sink);
    c->constant = allocate((size_t)d, sizeof *c->constant);
}

/* Probes, multiplies and proves; p has run on tokens that are 0. Returns why
   there is no form, or NULL. */
static const char *
find_form(Probe *p, Canonical *c)
{
    canonical_allocate(c, capture_heads(&p->capture, 0));
    find_biases(p, c);
    add_mixed(p, c, -1);
    Output *outputs = find_outputs(p, c);
    run_on(p, true, c->d_model + 1, NOTHING);
    add_mixed(p, c, 1);
    find_m(p, c);
    find_n(p, c, outputs);
    join_constants(c);
    int later = p->attention.relative ? 3 : 0;
    double most = sizeof(real) == 4 ? 1e-4 : 1e-10;
    c->deviation =
        fmax(deviation(p, c, 1, 0, false), deviation(p, c, 8, later, false));
    return c->deviation <= most ? NULL
           : deviation(p, c, 1, 0, true) <= most
               ? "its keys have a bias, which is real beside a sink, and M_i "
                 "has no column for it"
           : p->capture.rotated
               ? "it rotates by the position itself, so M_i is another matrix "
                 "at each distance"
           : mixes_tokens(p)
               ? "a key or value of it is made of several tokens, so no matrix "
                 "M_i stands between a query and one token"
               : "not linear in its tokens, or it knows their positions";
}

/* Why what was captured of a run on `rows` tokens can have no form, or NULL. */
static const char *
refusal(const Probe *p, int rows)
{
    const Capture *r = &p->capture;
    bool own = true;
    for (int i = 0; i < r->calls; i++)
        own &=
            call_queries(&r->call[i]) == rows && call_keys(&r->call[i]) == rows;
    for (int i = 0; i < r->key_count; i++)
        own &= r->keys[i]->rows == rows;
    return p->recalled ? "it recalls what an earlier block remembered, and so "
                         "is no function of its own tokens alone"
           : r->calls == 0 ? "it never calls attend or softmax"
           : !own ? "its queries, keys or values are not one of each token"
                  : NULL;
}

static const Weight *
not_finite(const Weights *w, real *const *values)
{
    for (int i = 0; i < w->count; i++)
        for (int k = 0; k < w->list[i].rows * w->list[i].cols; k++)
            if (!isfinite(values[i][k]))
                return &w->list[i];
    return NULL;
}

Canonical
canonical_form(const Variant *v, Attention a, const Weights *w,
               real *const *values, int positions)
{
    Canonical c = {.d_model = a.d_model, .rotated = a.relative == &rope};
    Probe p = {.variant = v, .attention = a, .weights = w, .values = values};
    const Weight *broken = not_finite(w, values);
    c.deviation = NAN;
    if (broken) {
        snprintf(c.why, sizeof c.why,
                 "%.64s holds numbers that are not finite, as after a "
                 "training that diverged",
                 broken->name);
        return c;
    }
    p.attention.causal = 0;
    if (c.rotated)
        p.attention.relative = NULL;
    c.positions = positions > X_TOKENS + 3 ? positions : X_TOKENS + 3;
    int rows = (c.positions > a.d_model ? c.positions : a.d_model + 1) + 1;
    p.first = true;
    run_on(&p, false, rows, NOTHING);
    p.first = false;
    const char *why = refusal(&p, rows);
    why = why ? why : find_form(&p, &c);
    if (why) {
        canonical_free(&c);
        int said = snprintf(c.why, sizeof c.why, "%s", why);
        if (!isnan(c.deviation))
            snprintf(c.why + said, sizeof c.why - (size_t)said,
                     ": misses by %.2g", c.deviation);
    }
    tape_free(p.tape);
    free(p.tokens);
    return c;
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
    const double near = sizeof(real) == 4 ? 1e-5 : 1e-12;
    bool same = a->positions == b->positions;
    for (int h = 0; h < a->heads || h < b->heads; h++) {
        double x = h < a->heads ? a->sink[h] : -INFINITY;
        double y = h < b->heads ? b->sink[h] : -INFINITY;
        same &= x == y || fabs(x - y) <= near * fabs(x);
        for (int k = 0; same && k < a->positions * a->positions; k++) {
            x = bias_entry(a, h, k);
            y = bias_entry(b, h, k);
            same &= x == y || fabs(x - y) <= near * fabs(x);
        }
    }
    return same;
}

void
canonical_free(Canonical *c)
{
    free(c->m);
    free(c->n);
    free(c->scale);
    free(c->constant);
    free(c->bias);
    free(c->sink);
    c->m = c->n = c->scale = c->constant = c->bias = c->sink = NULL;
}
