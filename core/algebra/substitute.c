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

/* Sets the matrices of a term in order: those of queries to products of
   queries, unless the keys have no matrix. Each is set to the next matrix, if
   that has its shape; to none, the identity, if it is square; or to as many as
   it takes. The last one of a chain is all that is left, then also of the other
   chain. A factor goes to the first one. */
static void
set_term(const Derived *to, const Term *target, const Derived *from,
         const Term *source, Values *lines)
{
    double factor = source->factor / target->factor;
    for (int i = 0; i < 2; i++) {
        const Chain *s = &target->chain[i], *t = &source->chain[i];
        for (int k = 0, at = 0; k < s->count; k++) {
            const Matrix *m = &s->of[k].m;
            bool last = k == s->count - 1, square = m->rows == m->cols;
            int end = last ? t->count : at;
            for (int n = at; n < t->count && end == at; n++)
                if (t->of[at].m.rows == m->rows && t->of[n].m.cols == m->cols)
                    end = n + 1;
                else if (square)
                    break;
            Term product = {.head = source->head, .factor = factor};
            Chain *c = product.chain;
            c->count = end - at;
            memcpy(c->of, t->of + at, (size_t)c->count * sizeof *c->of);
            if (last && !target->chain[1].count)
                c[1] = source->chain[1];
            set_matrix(to, &s->of[k], from, &product, lines);
            at = end;
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
