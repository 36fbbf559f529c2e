/* substitute.c - a variant's matrices, as products of another one's. */
#include <string.h>

#include "algebra/substitute.h"

/* Sets a matrix to a product, if that has its shape, and adds the line that
   says so, unless the matrix has been set before and is no longer 0. */
static void
set_matrix(const Derived *to, const Symbol *s, const Derived *from,
           const Term *product, Values *lines)
{
    Matrix m = s->m, value = term_value(product, m.rows);
    bool fits = value.rows == m.rows && value.cols == m.cols &&
                s->of->value != to->run.x->value; /* no columns of tokens */
    Term name = {.factor = 1, .chain[0] = {NULL, 1, {*s}}};
    if (fits && *m.at == 0 && product->head == 0) {
        char *line;
        FILE *text = begin_text(&line);
        print_term(text, to, &name, false);
        fprintf(text, " := ");
        print_term(text, from, product, false);
        end_text(text, &line);
        values_add(lines, line);
    }
    for (int i = 0; i < m.rows * m.cols && fits; i++)
        m.at[i / m.cols * m.down + i % m.cols * m.across] = value.at[i];
    free(value.at);
}

/* How many symbols of a chain, from `at` on, a matrix is set to: one, if that
   has its shape; none, the identity, if it is square; or as many as it takes.
 */
static int
symbols_for(const Matrix *m, const Chain *c, int at)
{
    for (int end = at; end < c->count; end++) {
        if (c->of[at].m.rows == m->rows && c->of[end].m.cols == m->cols)
            return end + 1 - at;
        if (m->rows == m->cols)
            return 0;
    }
    return 0;
}

/* Sets the matrices of a term in order: those of queries to products of
   queries, unless the keys have no matrix. The last one of a chain is all that
   is left, then also of the other chain. A factor goes to the first one. */
static void
set_term(const Derived *to, const Term *target, const Derived *from,
         const Term *source, Values *lines)
{
    double factor = source->factor / target->factor;
    for (int i = 0; i < 2; i++) {
        const Chain *s = &target->chain[i], *t = &source->chain[i];
        for (int k = 0, at = 0; k < s->count; k++) {
            bool last = k == s->count - 1;
            Term product = {.head = source->head, .factor = factor};
            Chain *c = product.chain;
            c->count = last ? t->count - at : symbols_for(&s->of[k].m, t, at);
            memcpy(c->of, t->of + at, (size_t)c->count * sizeof *c->of);
            if (last && !target->chain[1].count)
                c[1] = source->chain[1];
            set_matrix(to, &s->of[k], from, &product, lines);
            at += c->count;
            factor = 1;
        }
    }
}

Values
substitution(const Derived *from, Derived *to)
{
    Values lines = {0};
    const Weights *w = &to->run.weights;
    for (int i = 0; i < w->count; i++)
        memset(w->list[i].value, 0,
               (size_t)w->list[i].rows * w->list[i].cols * sizeof(real));
    for (const Term *t = to->term; t && t < to->term + to->count; t++) {
        const Term *s = term_of(from, t->head, t->piece, t->number);
        if (s && from->heads == to->heads)
            set_term(to, t, from, s, &lines);
    }
    for (int i = 0; i < w->count; i++)
        if (w->list[i].value[0] == 0)
            values_add(&lines, format_text("%s := 0", w->list[i].name));
    return lines;
}
