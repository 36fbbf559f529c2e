/* substitute.c - a variant's matrices, as products of another one's. */
#include <math.h>
#include <string.h>

#include "algebra/fit.h"
#include "algebra/substitute.h"
#include "heart/fail.h"

/* The product that is to be a matrix: of symbols of t from `first` on, up to
   `end` or, if it is the last one, all of them. One symbol goes before the
   identity, and that before longer products. Its count is -1 if none has the
   shape. */
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
        const Matrix *back = &part.of[part.keys < 0 ? count - 1 : part.keys].m;
        int cols = part.keys < 0 ? back->cols : back->rows;
        if (count ? part.of[0].m.rows == m->rows && cols == m->cols
                  : m->rows == m->cols)
            return part;
    }
    part.count = -1;
    return part;
}

/* Writes a product into a matrix. */
static void
set(const Matrix *m, Term *product)
{
    double *value = allocate((size_t)m->rows * m->cols, sizeof *value);
    sum_value(&(Terms){product, 1, 1}, m->rows, value);
    for (int i = 0; i < m->rows * m->cols; i++)
        m->at[i / m->cols * m->down + i % m->cols * m->across] = (real)value[i];
    free(value);
}

/* Adds "NAME := TEXT", unless it is there. */
static void
add_line(Values *lines, const char *name, const char *text)
{
    char *line = format_text("%s := %s", name, text);
    for (int i = 0; i < lines->count && line; i++)
        if (!strcmp(lines->text[i], line))
            replace(&line, NULL);
    if (line)
        values_add(lines, line);
}

/* Names the matrices of one term in order, those of queries for those of
   queries, unless keys have none. A factor goes to the first. */
static bool
name_term(const Derived *from, const Term *source, const Derived *to,
          const Term *target, Values *lines)
{
    Term t = matrices_of(source), s = matrices_of(target);
    bool keys = s.keys >= 0 && s.keys < s.count;
    int at = 0;
    for (int k = 0; k < s.count; k++) {
        bool query = keys && k < s.keys;
        Term product = product_for(&s.of[k].m, &t, at, query ? t.keys : t.count,
                                   k == (query ? s.keys : s.count) - 1);
        Term name = {.factor = 1, .count = 1, .keys = -1, .of = {s.of[k]}};
        if (product.count < 0 || !s.of[k].of->value) /* tokens cannot be set */
            return false;
        at += product.count;
        product.factor = k ? 1 : t.factor / s.factor;
        set(&s.of[k].m, &product);
        char *is = terms_spelled(to, &(Terms){&name, 1, 1}, true);
        char *be = terms_spelled(from, &(Terms){&product, 1, 1}, true);
        add_line(lines, is, be);
        free(is);
        free(be);
    }
    return at == t.count;
}

Values
substitution(const Derived *from, Derived *to, double *apart)
{
    Values lines = {0}, others = {0};
    bool named = from->heads == to->heads;
    for (int i = 0; i < to->weights.count; i++) {
        const Weight *w = &to->weights.list[i];
        memset(to->values[i], 0, (size_t)w->rows * w->cols * sizeof(real));
    }
    for (int i = 0; i < to->heads * PIECES && named; i++) {
        const Terms *t = &from->piece[i / PIECES][i % PIECES];
        const Terms *s = &to->piece[i / PIECES][i % PIECES];
        bool last = i / PIECES == to->heads - 1;
        for (int k = 0; k < t->count && k < s->count && named; k++)
            named = name_term(from, &t->term[k], to, &s->term[k],
                              last ? &lines : &others);
    }
    for (int i = 0; i < to->weights.count; i++)
        if (to->values[i][0] == 0)
            add_line(&lines, to->weights.list[i].name, "0");
    Canonical now = probed_form(to), wanted = probed_form(from);
    *apart = named && now.m ? fit_error(&now, &wanted).apart : INFINITY;
    canonical_free(&now);
    canonical_free(&wanted);
    values_free(&others);
    return lines;
}
