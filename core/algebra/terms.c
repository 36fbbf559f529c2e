/* terms.c - a derived form, term by term: its symbols, ranks and values. */
#include <math.h>
#include <string.h>

#include "algebra/fit.h"
#include "algebra/terms.h"
#include "heart/fail.h"

const Term *
term_of(const Derived *d, int head, int piece, int number)
{
    for (const Term *t = d->term; t && t < d->term + d->count; t++)
        if (t->head == head && t->piece == piece && t->number == number)
            return t;
    return NULL;
}

int
rank_bound(const Derived *d, int head, int piece)
{
    int rank = 0, number = 0;
    const Term *t = term_of(d, head, piece, number);
    while (t) {
        rank += t->width;
        number++;
        t = term_of(d, head, piece, number);
    }
    return rank;
}

/* Do two names differ only in their first number, as "W_1^Q" and "W_2^Q"? */
static bool
names_alike(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    size_t before = strcspn(a, digits); /* letters before the number */
    if (strcspn(b, digits) != before || strncmp(a, b, before))
        return false;
    const char *number_a = a + before, *number_b = b + before;
    size_t length_a = strspn(number_a, digits);
    size_t length_b = strspn(number_b, digits);
    return length_a > 0 && length_b > 0 &&
           !strcmp(number_a + length_a, number_b + length_b);
}

/* Do two nodes play the same part in two heads? They do if they are one node,
   have the same operator, or are matrices of one shape whose names differ only
   in a number. */
static bool
nodes_alike(const Node *a, const Node *b)
{
    if (a->op || b->op)
        return a->op == b->op;
    if (a == b)
        return true;
    return a->rows == b->rows && a->cols == b->cols &&
           names_alike(a->arguments, b->arguments);
}

const Symbol *
symbol_of(const Derived *d, int head, const Symbol *s)
{
    const Term *t = term_of(d, head, s->piece, s->number);
    if (!t || s->place >= t->chain[s->side].count)
        return NULL;
    const Symbol *there = &t->chain[s->side].of[s->place];
    return nodes_alike(s->of, there->of) ? there : NULL;
}

/* Is `other`, which may be NULL, the same term as t, except for the columns of
   its matrices? */
static bool
term_alike(const Derived *d, const Term *t, const Term *other)
{
    if (!other || other->factor != t->factor)
        return false;
    for (int side = 0; side < 2; side++) {
        const Chain *c = &t->chain[side];
        if (c->count != other->chain[side].count)
            return false;
        for (int i = 0; i < c->count; i++) {
            const Symbol *s = symbol_of(d, other->head, &c->of[i]);
            if (!s || s->m.rows != c->of[i].m.rows ||
                s->m.cols != c->of[i].m.cols)
                return false;
        }
    }
    return true;
}

bool
heads_alike(const Derived *d)
{
    int in_first = 0; /* terms of head 0 */
    for (const Term *t = d->term; t && t < d->term + d->count; t++) {
        if (t->head != 0)
            continue;
        in_first++;
        for (int head = 1; head < d->heads; head++)
            if (!term_alike(d, t, term_of(d, head, t->piece, t->number)))
                return false;
    }
    return d->heads < 1 || in_first * d->heads == d->count;
}

static Matrix
new_matrix(int rows, int cols)
{
    real *entries = allocate((size_t)rows * cols, sizeof *entries);
    return matrix(entries, rows, cols, cols);
}

/* The product x m. Frees x. */
static Matrix
multiplied_by(Matrix x, Matrix m)
{
    Matrix product = new_matrix(x.rows, m.cols);
    multiply(product, x, m);
    free(x.at);
    return product;
}

Matrix
term_value(const Term *t, int rows)
{
    const Chain *q = &t->chain[0], *k = &t->chain[1];
    if (q->count)
        rows = q->of[0].m.rows;
    else if (k->count)
        rows = k->of[k->count - 1].m.cols;
    Matrix x = new_matrix(rows, rows);
    for (int i = 0; i < rows; i++)
        x.at[i * rows + i] = (real)t->factor;
    for (int i = 0; i < q->count; i++)
        x = multiplied_by(x, q->of[i].m);
    for (int i = k->count - 1; i >= 0; i--) /* (K_1 K_2)' = K_2' K_1' */
        x = multiplied_by(x, transposed(k->of[i].m));
    return x;
}

/* The derived form, as numbers. Every head has the constant: it is added only
   for one of them. */
static Canonical
derived_form(const Derived *d)
{
    int n = d->run.attention.d_model;
    Canonical c = {.d_model = n};
    canonical_allocate(&c, d->heads);
    for (const Term *t = d->term; t && t < d->term + d->count; t++) {
        int start = (d->heads - 1 - t->head) * c.size;
        double *const to[PIECES] = {[M_PIECE] = c.m + start,
                                    [M_ROW] = c.m + start + n * n,
                                    [N_PIECE] = c.n + start,
                                    [N_ROW] = c.constant,
                                    [CONSTANT] = c.constant};
        if (t->piece == CONSTANT && t->head > 0)
            continue;
        Matrix value = term_value(t, n);
        for (int i = 0; i < value.rows * n; i++)
            to[t->piece][i] += (double)value.at[i];
        free(value.at);
    }
    return c;
}

double
derived_apart(const Derived *d)
{
    const Alone *a = &d->run;
    Canonical derived = derived_form(d);
    Canonical probed = canonical_form(a->variant, a->attention, a->weights, 0);
    double apart = probed.m ? fit_error(&derived, &probed).apart : NAN;
    canonical_free(&derived);
    canonical_free(&probed);
    return apart;
}
