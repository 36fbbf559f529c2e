/* substitute.c - a variant's matrices, as products of another one's. */
#include <math.h>
#include <string.h>

#include "algebra/fit.h"
#include "algebra/substitute.h"
#include "heart/fail.h"

/* The product that a matrix is set to. It has the symbols of t from `first` on,
   at most up to `end`, and all of these if the matrix is the last one. One
   symbol is tried first, then the identity, then longer products. Its count is
   -1 if none has the shape. */
static Term
product_for(const Matrix *m, const Term *t, int first, int end, bool last)
{
    Term part = *t;
    for (int i = 0; i <= end - first + 1; i++) {
        int count = part.count = i < 2 ? 1 - i : i;
        if (count > end - first || (last && count < end - first))
            continue;
        memcpy(part.of, t->of + first, (size_t)count * sizeof *part.of);
        part.keys =
            t->keys > first && t->keys < first + count ? t->keys - first : -1;
        bool fits = m->rows == m->cols; /* the identity */
        if (count) {
            const Symbol *back =
                &part.of[part.keys < 0 ? count - 1 : part.keys];
            int cols = part.keys < 0 ? back->m.cols : back->m.rows;
            fits = part.of[0].m.rows == m->rows && cols == m->cols;
        }
        if (fits)
            return part;
    }
    part.count = -1;
    return part;
}

/* Names a matrix, unless it has been named, and is no longer 0, for a product,
   which is put into it. */
static void
name_matrix(const Derived *to, const Symbol *s, const Derived *from,
            Term *product, Values *lines)
{
    Term name = {.factor = 1, .count = 1, .keys = -1, .of = {*s}};
    double *value = allocate((size_t)s->m.rows * s->m.cols, sizeof *value);
    char *is = terms_spelled(to, &(Terms){&name, 1, 1}, true);
    char *be = terms_spelled(from, &(Terms){product, 1, 1}, true);
    if (lines && *s->m.at == 0)
        values_add(lines, format_text("%s := %s", is, be));
    sum_value(&(Terms){product, 1, 1}, s->m.rows, value);
    for (int i = 0; i < s->m.rows * s->m.cols; i++)
        s->m.at[i / s->m.cols * s->m.down + i % s->m.cols * s->m.across] =
            (real)value[i];
    free(value);
    free(is);
    free(be);
}

/* Names the matrices of one term in order: matrices of queries for products of
   queries, unless the keys have no matrix. A factor goes to the first one. */
static bool
name_term(const Derived *to, const Term *target, const Derived *from,
          const Term *source, Values *lines)
{
    Term s = matrices_of(target), t = matrices_of(source);
    bool keys = s.keys >= 0 && s.keys < s.count;
    int at = 0;
    for (int k = 0; k < s.count; k++) {
        bool query = keys && k < s.keys;
        Term product = product_for(&s.of[k].m, &t, at, query ? t.keys : t.count,
                                   k == (query ? s.keys : s.count) - 1);
        if (product.count < 0 || !s.of[k].of->value) /* tokens cannot be set */
            return false;
        at += product.count;
        product.factor = k ? 1 : t.factor / s.factor;
        name_matrix(to, &s.of[k], from, &product, lines);
    }
    return at == t.count;
}

/* The last head is the first, because it is the one whose index is i. */
Values
substitution(const Derived *from, Derived *to, double *apart)
{
    Values lines = {0};
    bool named = from->heads == to->heads;
    for (int i = 0; i < to->weights.count; i++) {
        const Weight *w = &to->weights.list[i];
        memset(to->values[i], 0, (size_t)w->rows * w->cols * sizeof(real));
    }
    for (int i = 0; i < to->heads * PIECES && named; i++) {
        int h = to->heads - 1 - i / PIECES, piece = i % PIECES;
        const Terms *t = &from->piece[h][piece], *s = &to->piece[h][piece];
        bool shown = i < PIECES || piece == CONSTANT;
        for (int k = 0; k < t->count && k < s->count && named; k++)
            named = name_term(to, &s->term[k], from, &t->term[k],
                              shown ? &lines : NULL);
    }
    for (int i = 0; i < to->weights.count; i++)
        if (to->values[i][0] == 0)
            values_add(&lines,
                       format_text("%s := 0", to->weights.list[i].name));
    Canonical now = probed_form(to), wanted = probed_form(from);
    *apart = named && now.m ? fit_error(&now, &wanted).apart : INFINITY;
    canonical_free(&now);
    canonical_free(&wanted);
    return lines;
}
