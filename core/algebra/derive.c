/* derive.c - the canonical form of a variant, derived from its code.

   A node knows its operator and its operands. So one walks back from it, and
   puts each matrix on the way before those that came first, until tokens are
   reached: then the product is whole. Where two things are added, two products
   begin. What is not linear is put there too, to be named. */
#include <math.h>
#include <string.h>

#include "algebra/capture.h"
#include "algebra/derive.h"
#include "algebra/fit.h"
#include "config/settings.h"
#include "config/tasks.h"
#include "heart/attention.h"
#include "heart/fail.h"
#include "heart/random.h"

static void
add_term(Terms *to, Term t)
{
    to->term = grow(to->term, to->count, &to->room, sizeof t);
    to->term[to->count++] = t;
}

/* A symbol, the part of a leaf from an entry on, times a term. */
static Term
times(SymbolKind kind, const Node *of, int from, int rows, int cols, Term t)
{
    const real *at = of->value ? of->value : of->kept;
    Matrix m = matrix(at ? at + from : at, rows, cols, of->cols);
    if (t.count == MOST_SYMBOLS / 2) /* scores have two such chains */
        fail("derive: a product of more than %d matrices", t.count);
    memmove(t.of + 1, t.of, (size_t)t.count++ * sizeof *t.of);
    t.of[0] = (Symbol){kind, of, m, t.role};
    t.opaque |= kind == OPAQUE;
    return t;
}

/* What is left of a term if only these columns of what it is multiplied with
   are not 0. */
static Term
only_rows(Term t, int from, int count)
{
    int i = 0;
    t.left += t.count ? 0 : from;
    for (; i < t.count && t.of[i].kind == DIAGONAL; i++) {
        t.of[i].m.at += from;
        t.of[i].m.cols = count;
    }
    if (i < t.count && t.of[i].kind == MATRIX) {
        t.of[i].m.at += from * t.of[i].m.down;
        t.of[i].m.rows = count;
    }
    return t;
}

/* The first column of the head of n that serves head h of c. */
static int
start_of(const Node *n, int h, const Node *c)
{
    return h / (c->heads / n->heads) * (n->cols / n->heads);
}

static bool
is(const Node *n, const char *name)
{
    return n->op && !strcmp(n->op->name, name);
}

/* The row of weights, as long as a head, that all tokens get in n; or NULL. */
static const Node *
row_of(const Node *n, int width)
{
    const Node *row = is(n->root, "spread") ? n->root->in[0] : NULL;
    return row && row->rows == 1 && !row->root->op &&
                   row->cols / row->heads == width
               ? row
               : NULL;
}

/* Is it a softmax, of which each row of weights sums to 1, as there is no sink?
 */
static bool
is_softmax(const Node *n)
{
    const Attended *with = n->arguments;
    return n->op == &softmax_op && n->inputs == 1 && with->sink == -INFINITY;
}

static void walk(Terms *to, const Node *n, int from, int count, Term t);

/* Goes on from `count` columns of head h of c, the first of which is `from`. */
static void
walk_head(Terms *to, const Node *c, int h, int from, int count, Term t)
{
    Node *const *in = c->in, *last = c->inputs ? in[c->inputs - 1] : NULL;
    int width = c->cols / c->heads;
    const Node *gain = is(c, "hadamard") ? row_of(last, width) : NULL;
    if (c->op == &apply_weights_op.op && is_softmax(in[0]->root) &&
        t.role == 'v' && !t.weights) {
        t.weights = in[0]->root;
        t.head = h;
        walk(to, last, start_of(last, h, c) + from, count, t);
    } else if (row_of(c, width))
        walk(to, last, start_of(last, h, c) + from, count, t);
    else if (is(c, "columns"))
        walk(to, last, start_of(last, h, c) + from + *(const int *)c->arguments,
             count, t);
    else if (gain)
        walk(to, in[0], h * width + from, count,
             times(DIAGONAL, gain->root, start_of(gain, h, c) + from, 1, count,
                   t));
    else if (is(c, "concat"))
        for (int k = 0, begin = 0; k < c->inputs; k++) {
            int end = begin + in[k]->cols / in[k]->heads;
            int low = from > begin ? from : begin;
            int size = (from + count < end ? from + count : end) - low;
            if (size > 0)
                walk(to, in[k], start_of(in[k], h, c) + low - begin, size,
                     only_rows(t, low - from, size));
            begin = end;
        }
    else {
        t = times(OPAQUE, c, 0, 0, count, t);
        if (last && in[0]->cols == c->cols)
            walk(to, in[0], h * width + from, count, t);
        else if (last)
            walk(to, in[0], 0, in[0]->cols, t);
        else
            add_term(to, t);
    }
}

/* Adds the products that `count` columns of n, from the column `from` on, have
   with a term. */
static void
walk(Terms *to, const Node *n, int from, int count, Term t)
{
    const Node *c = n->root, *w = c->inputs > 1 ? c->in[1]->root : NULL;
    int width = c->cols / c->heads, all = c->inputs ? c->in[0]->cols : 0;
    bool by_leaf = w && !w->op;
    if (!c->op && c->value) {
        t.bias = true;
        t.weights = NULL; /* each row of weights sums to 1: P 1 = 1 */
        t.opaque |= c->rows > 1;
        add_term(to, times(MATRIX, c, from, c->rows, count, t));
    } else if (!c->op)
        add_term(to, times(TOKENS, c, from, c->cols, count, t));
    else if (by_leaf && c->op == &matmul_op.op)
        walk(to, c->in[0], 0, all, times(MATRIX, w, from, all, count, t));
    else if (by_leaf && c->op == &matmul_t_op.op) {
        t = times(MATRIX, w, from * all, count, all, t);
        t.of[0].m = transposed(t.of[0].m);
        walk(to, c->in[0], 0, all, t);
    } else if (c->op == &scale_op.op) {
        t.factor *= *(const double *)c->arguments;
        walk(to, c->in[0], from, count, t);
    } else if (is(c, "add")) {
        walk(to, c->in[0], from, count, t);
        walk(to, c->in[1], from, count, t);
    } else
        for (int h = from / width; h * width < from + count; h++) {
            int low = from > h * width ? from : h * width;
            int end = (h + 1) * width;
            int size = (from + count < end ? from + count : end) - low;
            walk_head(to, c, h, low - h * width, size,
                      only_rows(t, low - from, size));
        }
}

static void
add_terms(Terms *to, const Node *n, int from, int count, char role)
{
    walk(to, n, from, count, (Term){.factor = 1, .keys = -1, .role = role});
}

static void
add_scores(Terms *to, const Node *q, const Node *k, int h, double factor)
{
    int width = q->cols / q->heads;
    Terms x = {0};
    add_terms(&x, q, h * width, width, 'q');
    for (const Term *a = x.term; a < x.term + x.count; a++) {
        Terms y = {0};
        int part = a->of[a->count - 1].m.cols;
        add_terms(&y, k, start_of(k, h, q) + a->left, part, 'k');
        for (const Term *b = y.term; b < y.term + y.count; b++) {
            Term t = *a;
            memcpy(t.of + t.count, b->of, (size_t)b->count * sizeof *b->of);
            t.keys = t.count;
            t.count += b->count;
            t.factor *= b->factor * factor;
            t.opaque |= b->opaque || b->of[b->count - 1].m.cols != part;
            add_term(to, t);
        }
        free(y.term);
    }
    free(x.term);
}

Term
matrices_of(const Term *t)
{
    Term only = *t;
    only.count = 0;
    for (int i = 0; i < t->count; i++) {
        Symbol s = t->of[i];
        if (i == t->keys)
            only.keys = only.count;
        if (s.kind == TOKENS && s.m.cols == s.of->cols)
            continue;
        s.kind = s.kind == TOKENS ? MATRIX : s.kind;
        only.of[only.count++] = s;
    }
    return only;
}

void
sum_value(const Terms *sum, int rows, double *to)
{
    for (int k = 0; k < sum->count; k++) {
        const Term *t = &sum->term[k];
        Matrix x = matrix(allocate((size_t)rows * rows, sizeof(real)), rows,
                          rows, rows);
        for (int i = 0; i < rows; i++)
            x.at[i * rows + i] = (real)t->factor;
        for (int i = 0; i < t->count; i++) {
            bool key = t->keys >= 0 && i >= t->keys; /* q k' */
            const Symbol *s = &t->of[key ? t->keys + t->count - 1 - i : i];
            Matrix m = key ? transposed(s->m) : s->m;
            for (int e = 0; e < rows * x.cols && s->kind == DIAGONAL; e++)
                x.at[e] *= s->m.at[e % x.cols];
            if (s->kind == DIAGONAL)
                continue;
            Matrix y = matrix(allocate((size_t)rows * m.cols, sizeof(real)),
                              rows, m.cols, m.cols);
            multiply(y, x, m);
            free(x.at);
            x = y;
        }
        for (int i = 0; i < rows * x.cols; i++)
            to[i] += (double)x.at[i];
        free(x.at);
    }
}

/* Adds a term to a piece. If it is not what it has to be, `why` says so. */
static void
add_to(Derived *d, Terms *piece, const Term *t, const char *why)
{
    why = t->opaque ? "what is in brackets is no matrix" : why;
    d->why = why ? why : d->why;
    add_term(piece, *t);
}

/* s = [x 1] M y'. A bias of keys adds the same to all scores of a row, to which
   the softmax is blind: it is left out. */
static void
derive_scores(Derived *d, Terms *piece, const Call *c, int h)
{
    const Node *s = c->weights->in[0];
    Terms sum = {0};
    if (c->q)
        add_scores(&sum, c->q, c->k, h, c->scale);
    if (!c->q || s->op == &fixed_bias_op)
        add_term(&sum,
                 times(OPAQUE, s, 0, 0, 0, (Term){.factor = 1, .keys = -1}));
    for (const Term *t = sum.term; t < sum.term + sum.count; t++)
        if (t->keys < 0 || t->of[t->keys].kind != MATRIX)
            add_to(d, &piece[t->bias ? SCORES_BIAS : SCORES], t, NULL);
    free(sum.term);
}

/* out = constant + sum_i softmax(scores_i) y N_i */
static void
derive_output(Derived *d, const Capture *r, const Node *x, const Node *out)
{
    Terms sum = {0};
    int own;
    d->heads = r->place[0].heads;
    d->piece = allocate((size_t)d->heads + 1, sizeof *d->piece);
    for (int h = 0; h < d->heads; h++) {
        const Call *c = capture_head(r, 0, h, &own);
        derive_scores(d, d->piece[h], c, own);
    }
    add_terms(&sum, out, 0, out->cols, 'v');
    for (Term *t = sum.term; t < sum.term + sum.count; t++) {
        int h = 0, width = t->of[t->count - 1].m.cols;
        while (t->weights &&
               (capture_head(r, 0, h, &own)->weights != t->weights ||
                own != t->head))
            h++;
        if (width < out->cols && !t->opaque) /* its place in the output */
            t->of[t->count++] =
                (Symbol){MATRIX, x,
                         transposed(matrix(x->kept + t->left, out->cols, width,
                                           out->cols)),
                         'v'};
        add_to(d, &d->piece[h][t->weights ? VALUES : CONSTANT], t,
               t->weights || t->bias ? NULL
                                     : "it adds tokens without attention");
    }
    free(sum.term);
}

/* The leaves are data while forward runs, so that no node gets a gradient. */
Derived
derive(const Variant *v, Attention a)
{
    a.causal = 0;
    a.relative = NULL;
    Derived d = {
        .variant = v, .attention = a, .tape = tape_new(SHAPES_ONLY | IN_STEPS)};
    Random random = random_stream(13, "derive");
    Capture r = {.only = EVERY_HEAD};
    int count = (d.weights = weights_declared(v, &a)).count, n = a.d_model;
    Node **w = allocate((size_t)count, sizeof(Node *));
    d.values = allocate((size_t)count, sizeof *d.values);
    for (int i = 0; i < count; i++) {
        const Weight *m = &d.weights.list[i];
        int size = m->rows * m->cols;
        d.values[i] = allocate((size_t)size, sizeof **d.values);
        for (int k = 0; k < size; k++)
            d.values[i][k] = (real)random_normal(&random);
        w[i] = leaf(d.tape, m->rows, m->cols, 1, d.values[i], NULL);
        w[i]->arguments = m->name;
    }
    Node *x = leaf(d.tape, 5, n, 1, NULL, NULL);
    Node *y = leaf(d.tape, 7, n, 1, NULL, NULL);
    x->arguments = "x";
    y->arguments = "y";
    d.identity = x->kept = y->kept = allocate((size_t)n * n, sizeof *x->kept);
    for (int i = 0; i < n; i++)
        d.identity[i * n + i] = 1;
    forward_earlier(v, &a, x, y, w);
    int before = d.tape->recalled;
    capture_start(&r, d.tape);
    Node *out = plugin_forward(v, &a, x, y, w);
    record_place(&r, (Place){.out = out});
    derive_output(&d, &r, x, out);
    if (!d.heads)
        d.why = "it has no softmax";
    if (r.rotated)
        d.why = "queries and keys are rotated by their positions";
    if (d.tape->recalled > before)
        d.why = "it recalls what an earlier block computed";
    free(w);
    return d;
}

Derived
derive_at(const Variant *v, const char *shape, int layers)
{
    Config c = config_start();
    config_apply(&c, shape);
    config_resolve(&c, variant_uses(v));
    Attention a = attention_of(&c, v->shape);
    a.layers = layers;
    a.layer = layers - 1;
    return derive(v, a);
}

void
derived_free(Derived *d)
{
    for (int i = 0; i < (d->heads + 1) * PIECES; i++)
        free(d->piece[i / PIECES][i % PIECES].term);
    for (int i = 0; i < d->weights.count; i++)
        free(d->values[i]);
    free(d->values);
    free(d->weights.list);
    free(d->piece);
    free(d->identity);
    tape_free(d->tape);
}

Canonical
probed_form(const Derived *d)
{
    return canonical_form(d->variant, d->attention, &d->weights, d->values, 0);
}

double
derived_apart(const Derived *d)
{
    int n = d->attention.d_model;
    Canonical probed = probed_form(d), c = {.d_model = n};
    if (!probed.m)
        return NAN;
    canonical_allocate(&c, d->heads);
    sum_value(&d->piece[0][CONSTANT], 1, c.constant);
    for (int h = 0; h < d->heads; h++) {
        double *m = c.m + h * c.size;
        sum_value(&d->piece[h][SCORES], n, m);
        sum_value(&d->piece[h][SCORES_BIAS], 1, m + n * n);
        sum_value(&d->piece[h][VALUES], n, c.n + h * c.size);
    }
    double apart = fit_error(&c, &probed).apart;
    canonical_free(&c);
    canonical_free(&probed);
    return apart;
}
