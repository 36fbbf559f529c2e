/* substitute.c - a variant's matrices, as products of another one's. */
#include <math.h>
#include <string.h>

#include "algebra/fit.h"
#include "algebra/substitute.h"
#include "heart/fail.h"

/* Where the product ends that is to be s: of symbols of t from `first` on, up
   to `last`. One that has its shape goes before the identity, and that before
   a longer product. */
static int
product_end(const Term *t, int first, int last, const Symbol *s)
{
    int rows = symbol_rows(s), cols = symbol_cols(s);
    bool one = first < last && symbol_rows(&t->of[first]) == rows &&
               symbol_cols(&t->of[first]) == cols;
    if (one || rows == cols)
        return first + one;
    while (first < last && symbol_cols(&t->of[first]) != cols)
        first++;
    return first < last ? first + 1 : first;
}

/* Symbols first .. end - 1 of t, times a factor. */
static Term
part_of_term(const Term *t, int first, int end, double factor)
{
    Term part = *t;
    part.next = NULL;
    part.factor = factor;
    part.count = end - first;
    memmove(part.of, part.of + first, (size_t)part.count * sizeof *part.of);
    return part;
}

/* Sets what of s is not set to a product. False if that has another shape. */
static bool
set_symbol(const Symbol *s, const Term *t)
{
    int rows = symbol_rows(s), cols = symbol_cols(s);
    if (t->count ? symbol_rows(t->of) != rows ||
                       symbol_cols(&t->of[t->count - 1]) != cols
                 : rows != cols)
        return false;
    double *value = allocate((size_t)rows * cols, sizeof *value);
    symbols_value(t, rows, cols, value, false);
    for (int i = 0; i < rows * cols; i++) {
        real *at = symbol_entry(s, i / cols, i % cols);
        if (at && isnan(*at))
            *at = (real)value[i];
    }
    free(value);
    return true;
}

/* Adds "NAME := text", once for each name; the text is freed. */
static void
add_line(Values *lines, char *name, char *text)
{
    char *line = format_text("%s := %s", name, text);
    bool there = false;
    for (int i = 0; i < lines->count; i++)
        there |= !strncmp(lines->text[i], line, strlen(name) + 1);
    if (there)
        free(line);
    else
        values_add(lines, line);
    free(name);
    free(text);
}

/* Names the matrices of a term, in order. A number that the terms differ by
   goes to the first of scores, and to the last of values. */
static bool
name_term(const Derived *from, const Term *t, const Derived *to, const Term *s,
          int piece, Values *lines)
{
    int at, last, first, end;
    matrices_of(t, &at, &last);
    matrices_of(s, &first, &end);
    for (int k = first; k < end; k++) {
        Symbol m = s->of[k];
        bool here = k == (piece == VALUES ? end - 1 : first);
        int next = k == end - 1 ? last : product_end(t, at, last, &m);
        Term to_be =
            part_of_term(t, at, next, here ? t->factor / s->factor : 1);
        Term name = part_of_term(s, k, k + 1, 1);
        name.numbers = 0;
        if (!set_symbol(&m, &to_be))
            return false;
        bool turned = m.transposed;
        if (lines && m.of)
            add_line(
                lines,
                term_spelled(to, piece,
                             turned ? transpose_of(to->tape, &name) : &name),
                term_spelled(from, piece,
                             turned ? transpose_of(to->tape, &to_be) : &to_be));
        at = next;
    }
    return at == last;
}

Values
substitution(const Derived *from, Derived *to, double *apart)
{
    Values lines = {0};
    bool beside = from->positioned || to->positioned || from->sinks ||
                  to->sinks; /* the form: that they are the same is not known */
    bool named = from->heads == to->heads && !beside;
    for (int i = 0; i < to->weights.count; i++)
        for (int k = 0; k < to->w[i]->rows * to->w[i]->cols; k++)
            to->w[i]->value[k] = (real)NAN;
    for (int i = 0; i < to->heads * PIECES && named; i++) {
        int h = i / PIECES, piece = i % PIECES;
        const Term *t = from->piece[h][piece], *s = to->piece[h][piece];
        for (; t && s && named; t = t->next, s = s->next)
            named = name_term(from, t, to, s, piece,
                              h == to->heads - 1 ? &lines : NULL);
    }
    for (int i = 0; i < to->weights.count; i++) {
        Node *w = to->w[i];
        if (isnan(*w->value) && named)
            add_line(&lines, copy_text(w->arguments), copy_text("0"));
        for (int k = 0; k < w->rows * w->cols; k++)
            w->value[k] = isnan(w->value[k]) ? 0 : w->value[k];
    }
    *apart = INFINITY;
    if (named) {
        Canonical now = derived_form(to, false),
                  wanted = derived_form(from, false);
        *apart = fit_error(&now, &wanted).apart;
        canonical_free(&now);
        canonical_free(&wanted);
    }
    return lines;
}
