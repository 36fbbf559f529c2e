/* derive.c - the canonical form of a variant, derived from its code. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/capture.h"
#include "algebra/derive.h"
#include "algebra/fit.h"
#include "algebra/rank.h"
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
            d->sinks += s->of->op == &softmax_op && s->of->inputs > 1;
            derive_scores(d, d->piece[h], s);
        }
        add_to(d, &d->piece[h][VALUES], t, 1, TOKENS, false);
    }
}

Derived
derive(const Variant *v, Attention a, const Weights *w, real *const *values)
{
    a.causal = 0;
    a.relative = NULL;
    Derived d = {.attention = a, .count = w->count};
    Random random = random_stream(13, "derive");
    int stored = 0, at = 0;
    for (int i = 0; i < w->count; i++)
        stored += w->list[i].rows * w->list[i].cols;
    d.drawn = values ? NULL : allocate((size_t)stored + 1, sizeof *d.drawn);
    for (int i = 0; i < stored && !values; i++)
        d.drawn[i] = (real)random_normal(&random);
    d.tape = tape_new(SHAPES_ONLY);
    d.w = allocate((size_t)w->count, sizeof *d.w);
    for (int i = 0; i < w->count; i++) {
        const Weight *m = &w->list[i];
        d.w[i] = leaf(d.tape, m->rows, m->cols, 1,
                      values ? values[i] : d.drawn + at, NULL);
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
    if (d.tape->recalled > before)
        values_add(&d.blocked, copy_text("what an earlier block remembered"));
    else
        derive_output(&d, out);
    return d;
}

void
derived_free(Derived *d)
{
    tape_free(d->tape);
    free(d->w);
    free(d->piece);
    free(d->drawn);
    values_free(&d->blocked);
}

bool
is_in_form(const Derived *d, const Node *w)
{
    bool in = false;
    for (int i = 0; i <= d->heads * PIECES; i++) {
        const Term *t = i < d->heads * PIECES ? d->piece[i / PIECES][i % PIECES]
                                              : d->constant;
        for (; t; t = t->next) {
            for (int k = 0; k < t->count; k++)
                in |= t->of[k].of == w;
            for (int k = 0; k < t->numbers; k++)
                in |= t->number[k].of == w;
        }
    }
    return in;
}

Canonical
derived_form(const Derived *d)
{
    int n = d->attention.d_model;
    Canonical c = {.d_model = n};
    canonical_allocate(&c, d->heads);
    symbols_value(d->constant, 1, n, c.constant);
    for (int h = 0; h < d->heads; h++) {
        double *m = c.m + h * c.size;
        c.scale[h] = 1;
        symbols_value(d->piece[h][SCORES], n, n, m);
        symbols_value(d->piece[h][SCORES_BIAS], 1, n, m + n * n);
        symbols_value(d->piece[h][VALUES], n, n, c.n + h * c.size);
    }
    return c;
}

double
derived_apart(const Derived *d, const Variant *v, const Weights *w)
{
    real **values = allocate((size_t)d->count, sizeof *values);
    for (int i = 0; i < d->count; i++)
        values[i] = d->w[i]->value;
    Canonical probed = canonical_form(v, d->attention, w, values, 0);
    free(values);
    if (!probed.m)
        return NAN;
    Canonical derived = derived_form(d);
    double apart = fit_error(&derived, &probed).apart;
    bool as_many = derived.heads == probed.heads;
    canonical_free(&derived);
    canonical_free(&probed);
    return as_many ? apart : INFINITY;
}

/* The derivative of a form along a random direction of its weights. */
typedef struct Rows {
    const Derived *of;
    Random random;
    int stored;
} Rows;

/* A form's entries, times a factor, are added to `to`. */
static void
add_form(const Derived *d, double factor, real *to)
{
    Canonical c = derived_form(d);
    int size = c.heads * c.size, n = c.d_model;
    for (int i = 0; i < 2 * size + n; i++)
        to[i] += (real)(factor * (i < size       ? c.m[i]
                                  : i < 2 * size ? c.n[i - size]
                                                 : c.constant[i - 2 * size]));
    canonical_free(&c);
}

/* All entries of all matrices move by that much of the same random numbers. */
static void
move(const Derived *d, Random random, double by)
{
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < d->w[i]->rows * d->w[i]->cols; k++)
            d->w[i]->value[k] += (real)(by * random_normal(&random));
}

/* Products of up to six matrices are polynomials, of which central differences
   with these factors are the derivatives, rounding aside, whatever the step. */
static void
derivatives(void *more, int count, real *rows)
{
    static const double factor[] = {-1. / 15, 0.6, -3, 0, 3, -0.6, 1. / 15};
    const double step = 0.25;
    Rows *r = more;
    int n = r->of->attention.d_model, cols = 2 * r->of->heads * (n + 1) * n + n;
    for (; count > 0; count--, rows += cols) {
        Random here = r->random;
        for (int i = 0; i < 7; i++) {
            move(r->of, here, (i - 3) * step);
            if (factor[i] != 0)
                add_form(r->of, factor[i], rows);
            move(r->of, here, (3 - i) * step);
        }
        for (int i = 0; i < r->stored; i++)
            random_normal(&r->random);
    }
}

int
derived_real(const Derived *d)
{
    Rows r = {d, random_stream(19, "derived"), 0};
    for (int i = 0; i < d->count; i++)
        r.stored += d->w[i]->rows * d->w[i]->cols;
    if (!r.stored)
        return d->sinks;
    int n = d->attention.d_model, cols = 2 * d->heads * (n + 1) * n + n;
    Rank found = matrix_rank(derivatives, &r, r.stored + r.stored / 8 + 64,
                             cols, RANK_ROUNDING);
    return found.rank < 0 ? -1 : found.rank + d->sinks;
}
