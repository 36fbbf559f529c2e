/* derive.c - the canonical form of a variant, derived from its code. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/capture.h"
#include "algebra/derive.h"
#include "algebra/fit.h"
#include "algebra/rank.h"
#include "config/settings.h"
#include "config/tasks.h"
#include "heart/attention.h"
#include "heart/fail.h"
#include "heart/random.h"

/* The weight that the operand of an atom was multiplied with last. */
static const char *
weight_before(const Symbol *atom)
{
    const Term *t = atom->of->inputs ? symbols_of(atom->of->in[0]) : NULL;
    for (int i = t ? t->count - 1 : -1; i >= 0; i--) {
        const char *name = weight_name(&t->of[i]);
        if (name || t->of[i].kind == ATOM)
            return name ? name : weight_before(&t->of[i]);
    }
    return NULL;
}

/* Notes that there is no form: what symbol `at` of the term is, and between
   which matrices. */
static void
block(Derived *d, const Term *t, int at)
{
    static const char *const words[][2] = {
        {"tanh_of", "tanh"},
        {"normalize", "RMSNorm"},
        {"rotate", "rotation by position"},
        {"shift", "shift to another token"},
        {"hadamard", "entrywise product of two functions of tokens"},
        {"mask_zero", "scores without a softmax"}};
    const Symbol *s = &t->of[at];
    bool atom = s->kind == ATOM;
    const char *what = atom              ? s->of->op->name
                       : s->kind == ONES ? "a bias that a sink weakens"
                                         : "tokens, not by attention";
    const char *before = atom ? weight_before(s) : NULL, *after = NULL;
    int step = s->transposed ? -1 : 1;
    for (int i = at + step; i >= 0 && i < t->count && !after; i += step) {
        if (t->of[i].kind != DIAGONAL && t->of[i].transposed != s->transposed)
            break; /* from the queries' side to the keys' */
        after = weight_name(&t->of[i]);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        what = strcmp(what, words[i][0]) ? what : words[i][1];
    char *text =
        format_text("%s%s%s%s%s", what,
                    before && after ? " between "
                    : before        ? " after "
                    : after         ? " before "
                                    : "",
                    before ? before : "", before && after ? " and " : "",
                    after ? after : "");
    for (int i = 0; text && i < d->blocked.count; i++)
        if (!strcmp(text, d->blocked.text[i]))
            replace(&text, NULL);
    if (text)
        values_add(&d->blocked, text);
}

/* Adds a term to a piece. From symbol `from` on, which has to be of that kind,
   it is matrices, of scores up to the tokens at its end. */
static void
add_to(Derived *d, Term **piece, Term *t, int from, SymbolKind kind,
       bool scores)
{
    for (int i = from; i < t->count; i++) {
        SymbolKind is = t->of[i].kind;
        bool end = scores && i == t->count - 1;
        if (i == from ? is != kind : end ? is != TOKENS : is < MATRIX) {
            block(d, t, i);
            if (!scores && i == from)
                break;
        }
    }
    t->next = NULL;
    *piece = joined_sums(*piece, t);
}

/* s = [x 1] M y'. What is the same for all keys is left out. */
static void
derive_scores(Derived *d, Term **piece, const Symbol *softmax)
{
    for (Term *t = scores_behind(softmax), *next; t; t = next) {
        SymbolKind x = t->of->kind, y = t->of[t->count - 1].kind;
        bool bias = x == ATOM && t->of->of->op == &fixed_bias_op;
        next = t->next;
        d->positioned |= bias;
        if (!bias && (y != ONES || !sums_to_1(softmax)))
            add_to(d, &piece[x == ONES ? SCORES_BIAS : SCORES], t, 0,
                   x == ONES ? ONES : TOKENS, true);
    }
}

/* out = constant + sum_i softmax(scores_i) y N_i. A head is derived when its
   softmax is met first. */
static void
derive_output(Derived *d, const Node *out)
{
    Symbol met[MOST_CALLS];
    d->piece = allocate(MOST_CALLS, sizeof *d->piece);
    for (Term *t = symbols_of(out), *next; t; t = next) {
        const Symbol *s = t->of;
        int h = 0;
        next = t->next;
        if (!is_softmax(s)) {
            add_to(d, &d->constant, t, 0, ONES, false);
            continue;
        }
        while (h < d->heads && (met[h].of != s->of || met[h].head != s->head))
            h++;
        if (h == MOST_CALLS)
            bug("derive: more than %d heads", MOST_CALLS);
        if (h == d->heads) {
            met[d->heads++] = *s;
            if (s->of->op == &softmax_op && s->of->inputs > 1) {
                d->sink = s->of->in[1]->root;
                d->sinks++;
            }
            derive_scores(d, d->piece[h], s);
        }
        add_to(d, &d->piece[h][VALUES], t, 1, TOKENS, false);
    }
}

/* Moves all weights, or one, by random numbers. */
static void
move(const Derived *d, int weight, Random *r)
{
    for (int i = 0, at = d->stored; i < d->weights.count; i++) {
        int end = at + d->w[i]->rows * d->w[i]->cols;
        for (; at < end; at++)
            d->drawn[at] =
                weight < 0 || i == weight ? (real)random_normal(r) : 0;
    }
}

/* The leaves are data while forward runs, so that no node gets a gradient. */
Derived
derive(const Variant *v, Attention a)
{
    a.causal = 0;
    a.relative = NULL;
    Derived d = {.variant = v, .attention = a, .tape = tape_new(SHAPES_ONLY)};
    Random random = random_stream(13, "derive");
    int count = (d.weights = weights_declared(v, &a)).count, at = 0;
    for (int i = 0; i < count; i++)
        d.stored += d.weights.list[i].rows * d.weights.list[i].cols;
    d.w = allocate((size_t)count, sizeof *d.w);
    d.drawn = allocate((size_t)2 * d.stored, sizeof *d.drawn);
    for (int i = 0; i < d.stored; i++)
        d.drawn[i] = (real)random_normal(&random);
    for (int i = 0; i < count; i++) {
        const Weight *m = &d.weights.list[i];
        d.w[i] = leaf(d.tape, m->rows, m->cols, 1, d.drawn + at, NULL);
        d.w[i]->arguments = m->name;
        at += m->rows * m->cols;
    }
    Node *x = leaf(d.tape, 5, a.d_model, 1, NULL, NULL);
    Node *y = leaf(d.tape, 7, a.d_model, 1, NULL, NULL);
    x->arguments = "x";
    y->arguments = "y";
    forward_earlier(v, &a, x, y, d.w);
    int before = d.tape->recalled;
    Node *out = plugin_forward(v, &a, x, y, d.w);
    for (int i = 0; i < count; i++)
        d.w[i]->gradient = d.w[i]->value + d.stored;
    if (d.tape->recalled > before)
        values_add(&d.blocked, copy_text("what an earlier block remembered"));
    else
        derive_output(&d, out);
    if (!d.heads && !d.blocked.count)
        values_add(&d.blocked, copy_text("no attention"));
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
    tape_free(d->tape);
    free(d->weights.list);
    free(d->w);
    free(d->piece);
    free(d->drawn);
    values_free(&d->blocked);
}

Canonical
derived_form(const Derived *d, bool slope)
{
    int n = d->attention.d_model;
    Canonical c = {.d_model = n};
    canonical_allocate(&c, d->heads);
    symbols_value(d->constant, 1, n, c.constant, slope);
    for (int h = 0; h < d->heads; h++) {
        double *m = c.m + h * c.size;
        c.scale[h] = 1;
        symbols_value(d->piece[h][SCORES], n, n, m, slope);
        symbols_value(d->piece[h][SCORES_BIAS], 1, n, m + n * n, slope);
        symbols_value(d->piece[h][VALUES], n, n, c.n + h * c.size, slope);
    }
    return c;
}

double
derived_apart(const Derived *d)
{
    real **values = allocate((size_t)d->weights.count, sizeof *values);
    for (int i = 0; i < d->weights.count; i++)
        values[i] = d->w[i]->value;
    Canonical probed =
        canonical_form(d->variant, d->attention, &d->weights, values, 0);
    free(values);
    if (!probed.m)
        return NAN;
    Canonical derived = derived_form(d, false);
    double apart = fit_error(&derived, &probed).apart;
    bool as_many = derived.heads == probed.heads;
    canonical_free(&derived);
    canonical_free(&probed);
    return as_many ? apart : INFINITY;
}

/* The slopes of all entries of a form, as a row; how many there are. */
static int
slopes(const Derived *d, real *to)
{
    Canonical c = derived_form(d, true);
    int size = c.heads * c.size, all = 2 * size + c.d_model;
    for (int i = 0; i < all && to; i++)
        to[i] = (real)(i < size       ? c.m[i]
                       : i < 2 * size ? c.n[i - size]
                                      : c.constant[i - 2 * size]);
    canonical_free(&c);
    return all;
}

bool
is_in_form(const Derived *d, int weight)
{
    Random r = random_stream(17, "derived");
    real *row = allocate((size_t)slopes(d, NULL), sizeof *row);
    move(d, weight, &r);
    int left = slopes(d, row);
    while (left > 0 && row[left - 1] == 0)
        left--;
    free(row);
    return left > 0 || d->w[weight] == d->sink;
}

typedef struct Rows {
    const Derived *of;
    Random random;
} Rows;

static void
next_slopes(void *more, int count, real *rows)
{
    Rows *r = more;
    for (; count > 0; count--) {
        move(r->of, -1, &r->random);
        rows += slopes(r->of, rows);
    }
}

int
derived_real(const Derived *d)
{
    Rows r = {d, random_stream(19, "derived")};
    Rank found = {0};
    if (d->stored)
        found = matrix_rank(next_slopes, &r, d->stored + d->stored / 8 + 64,
                            slopes(d, NULL), RANK_ROUNDING);
    return found.rank < 0 ? -1 : found.rank + d->sinks;
}
