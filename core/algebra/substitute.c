/* substitute.c - a variant's matrices, as products of another one's.

   An entry that has not been set is NaN. An entry of a matrix that heads share
   is set more than once, and must be set to the same number each time. */
#include <math.h>
#include <string.h>

#include "algebra/substitute.h"
#include "heart/fail.h"

enum { MOST_HEADS = 16, MOST_ORDERS = 720 };

typedef struct Matching {
    Derived *from, *to;
    int source[MOST_HEADS]; /* for each head of `to`, the head of `from` that
                               takes its place */
    int tried;              /* how many orders of the heads were tried */
    Accepts *accepts;
    void *more;
} Matching;

static bool
is_opaque(const Chain *c)
{
    bool opaque = false;
    for (int i = 0; i < c->count; i++)
        opaque |= c->of[i].of->op != NULL;
    return opaque;
}

/* Is a symbol a row of gains, as a diagonal matrix? */
static bool
is_diagonal(const Symbol *s)
{
    return s->of->rows == 1 && s->m.rows > 1 && s->m.cols > 1;
}

/* The row of gains that a diagonal symbol stands for. */
static Matrix
row_of_gains(const Symbol *s)
{
    int from = (int)(s->m.at - s->of->kept) / (s->of->cols + 1);
    return matrix(s->of->value + from, 1, s->m.rows, s->of->cols);
}

/* Sets an entry; returns false if it was set to a different number before. */
static bool
set_entry(real *at, real value)
{
    if (isnan(*at))
        *at = value;
    return fabs((double)(*at - value)) <= 1e-9 * (1 + fabs((double)value));
}

/* Sets entry (r, c) of a symbol; off the diagonal, a row of gains can only have
   0. */
static bool
set_symbol_entry(const Symbol *s, int r, int c, real value)
{
    if (!is_diagonal(s))
        return set_entry(s->m.at + r * s->m.down + c * s->m.across, value);
    if (r == c)
        return set_entry(row_of_gains(s).at + c, value);
    return fabs((double)value) <= 1e-12;
}

/* Sets a symbol of `to` to a product; returns false if that has a different
   shape, or if an entry was set to a different number before. Tokens have the
   entries of the identity, so they can only be set to that. */
static bool
set_symbol(const Symbol *s, const Term *product)
{
    if (is_opaque(&product->chain[0]) || is_opaque(&product->chain[1]))
        return false;
    Matrix m = s->m, value = term_value(product, m.rows);
    bool fits = value.rows == m.rows && value.cols == m.cols;
    for (int i = 0; fits && i < m.rows * m.cols; i++)
        fits = set_symbol_entry(s, i / m.cols, i % m.cols, value.at[i]);
    free(value.at);
    return fits;
}

/* How many symbols of a chain, from `at` on, a matrix is set to: one, if that
   has its shape; none, which is the identity, if the matrix is square; or else
   the fewest whose product has its shape. */
static int
symbols_for(const Matrix *m, const Chain *c, int at)
{
    if (at >= c->count)
        return 0;
    const Symbol *first = &c->of[at];
    if (first->m.rows == m->rows && first->m.cols == m->cols)
        return 1;
    if (m->rows == m->cols || first->m.rows != m->rows)
        return 0;
    for (int end = at + 1; end < c->count; end++)
        if (c->of[end].m.cols == m->cols)
            return end + 1 - at;
    return 0;
}

/* "W_i^Q := W^Q W_i^Q" */
static void
add_line(Values *lines, const Derived *to, const Symbol *s, const Derived *from,
         const Term *product)
{
    Term name = {.factor = 1, .chain[0] = {NULL, 1, {*s}}};
    char *line;
    FILE *text = begin_text(&line);
    print_term(text, to, &name, false);
    fprintf(text, " := ");
    print_term(text, from, product, false);
    end_text(text, &line);
    for (int i = 0; i < lines->count; i++)
        if (!strcmp(lines->text[i], line))
            return;
    values_add(lines, line);
}

/* The product of `count` symbols of a chain, from `at` on. */
static Term
product_of_symbols(const Chain *c, int at, int count)
{
    Term product = {.factor = 1, .chain[0].count = count};
    memcpy(product.chain[0].of, c->of + at, (size_t)count * sizeof *c->of);
    return product;
}

/* Sets the matrix of a symbol to a product, and writes its line; returns false
   if it cannot be set to that. Tokens are no matrix, and have no line. */
static bool
set_matrix(const Matching *by, const Symbol *s, const Term *product,
           Values *lines)
{
    if (!set_symbol(s, product))
        return false;
    if (lines && s->of->value != by->to->run.x->value)
        add_line(lines, by->to, s, by->from, product);
    return true;
}

/* Sets the matrices of a chain in order, to products of matrices of `source`.
   The last one becomes the product of all that are left and, if `behind` is not
   NULL, of the matrices of that chain, the keys. The first one gets the factor.
   An operator that is no matrix must be the same in both chains. */
static bool
set_chain(const Matching *by, const Chain *target, const Chain *source,
          const Chain *behind, double factor, Values *lines)
{
    int at = 0; /* the symbols of `source` before this one are used */
    for (int k = 0; k < target->count; k++) {
        const Symbol *s = &target->of[k];
        bool last = k == target->count - 1;
        if (s->of->op) {
            if (at >= source->count || source->of[at].of->op != s->of->op)
                return false;
            at++;
            continue;
        }
        int count = last ? source->count - at : symbols_for(&s->m, source, at);
        Term product = product_of_symbols(source, at, count);
        product.factor = factor;
        if (last && behind)
            product.chain[1] = *behind;
        if (!set_matrix(by, s, &product, lines))
            return false;
        at += count;
        factor = 1;
    }
    return fabs(factor - 1) <= 1e-12; /* some matrix has got the factor */
}

/* Sets the matrices of a term: the matrices of queries to products of matrices
   of queries, and the same for keys. If the target's keys have no matrix, its
   queries get both. */
static bool
set_term(const Matching *by, const Term *target, const Term *source,
         Values *lines)
{
    double factor = source->factor / target->factor;
    const Chain *q = &target->chain[0], *k = &target->chain[1];
    const Chain *from_q = &source->chain[0], *from_k = &source->chain[1];
    if (!k->count)
        return set_chain(by, q, from_q, from_k, factor, lines);
    if (!q->count && from_q->count == 0)
        return set_chain(by, k, from_k, NULL, factor, lines);
    return set_chain(by, q, from_q, NULL, factor, lines) &&
           set_chain(by, k, from_k, NULL, 1, lines);
}

/* Expresses the matrices of head `target` of `to` as products of the matrices
   of head `source` of `from`. Returns false if one of them cannot be set so. */
static bool
set_head(const Matching *by, int source, int target, Values *lines)
{
    const Derived *d = by->to;
    bool set = true;
    for (const Term *t = d->term; set && t && t < d->term + d->count; t++) {
        const Term *s = term_of(by->from, source, t->piece, t->number);
        if (t->head == target && s)
            set = set_term(by, t, s, lines);
    }
    return set;
}

/* Marks all entries of all matrices of `to` as not set. */
static void
unset_entries(const Derived *to)
{
    const Weights *w = &to->run.weights;
    for (int i = 0; i < w->count; i++)
        for (size_t k = 0; k < entries_of(&w->list[i]); k++)
            w->list[i].value[k] = NAN;
}

/* Sets all entries to 0 that nothing has set. */
static void
clear_unset(const Derived *to)
{
    const Weights *w = &to->run.weights;
    for (int i = 0; i < w->count; i++)
        for (size_t k = 0; k < entries_of(&w->list[i]); k++)
            if (isnan(w->list[i].value[k]))
                w->list[i].value[k] = 0;
}

/* Saves the entries of all matrices; returns a copy of them. */
static real **
save_entries(const Weights *w)
{
    real **saved = allocate((size_t)w->count + 1, sizeof *saved);
    for (int i = 0; i < w->count; i++) {
        size_t size = entries_of(&w->list[i]);
        saved[i] = allocate(size, sizeof **saved);
        memcpy(saved[i], w->list[i].value, size * sizeof **saved);
    }
    return saved;
}

static void
restore_entries(const Weights *w, real *const *saved)
{
    for (int i = 0; i < w->count; i++)
        memcpy(w->list[i].value, saved[i],
               entries_of(&w->list[i]) * sizeof **saved);
}

static void
free_entries(const Weights *w, real **saved)
{
    for (int i = 0; i < w->count; i++)
        free(saved[i]);
    free(saved);
}

/* Has one of the first `head` heads of `to` this head of `from`? */
static bool
is_source(const Matching *by, int source, int head)
{
    for (int k = 0; k < head; k++)
        if (by->source[k] == source)
            return true;
    return false;
}

/* Finds heads of `from` for the heads of `to` from `head` on: first the one of
   the same number, then any other that no earlier head has. */
static bool
match_heads(Matching *by, int head)
{
    const Weights *w = &by->to->run.weights;
    int heads = by->to->heads > 0 ? by->to->heads : 1;
    bool found = false;
    if (head == heads) {
        clear_unset(by->to);
        by->tried++;
        return by->tried <= MOST_ORDERS && by->accepts(by->more);
    }
    real **saved = save_entries(w);
    for (int i = 0; i < heads && !found && by->tried <= MOST_ORDERS; i++) {
        int source = (head + i) % heads;
        if (is_source(by, source, head))
            continue;
        by->source[head] = source;
        found = set_head(by, source, head, NULL) && match_heads(by, head + 1);
        if (!found)
            restore_entries(w, saved);
    }
    free_entries(w, saved);
    return found;
}

static bool
is_unset(const Weight *w)
{
    for (size_t k = 0; k < entries_of(w); k++)
        if (!isnan(w->value[k]))
            return false;
    return true;
}

/* Renumbers the heads of `from` as they were matched, and sets everything once
   more, to write the lines of the first head. */
static void
name_matches(Matching *by, Values *lines)
{
    Derived *from = by->from;
    const Weights *w = &by->to->run.weights;
    for (Term *t = from->term; t && t < from->term + from->count; t++) {
        int head = 0;
        while (by->source[head] != t->head)
            head++;
        t->head = head;
    }
    unset_entries(by->to);
    int heads = by->to->heads > 0 ? by->to->heads : 1;
    for (int head = 0; head < heads; head++)
        set_head(by, head, head, head ? NULL : lines);
    for (int i = 0; i < w->count; i++)
        if (is_unset(&w->list[i]))
            values_add(lines, format_text("%s := 0", w->list[i].name));
    clear_unset(by->to);
}

bool
substitute(Derived *from, Derived *to, Accepts *accepts, void *more,
           Values *lines)
{
    Matching by = {.from = from, .to = to, .accepts = accepts, .more = more};
    if (from->heads != to->heads || to->heads > MOST_HEADS)
        return false;
    unset_entries(to);
    bool found = match_heads(&by, 0);
    if (found)
        name_matches(&by, lines);
    return found;
}
