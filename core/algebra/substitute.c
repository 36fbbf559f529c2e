/* substitute.c - a variant's matrices, as products of another one's.

   An entry that has not been set is NaN, so what is set twice, as a matrix that
   heads share, must be set to the same. */
#include <math.h>
#include <string.h>

#include "algebra/substitute.h"
#include "heart/fail.h"
#include "heart/tape.h"

enum { MOST_HEADS = 16, MOST_ORDERS = 500 };

typedef struct Matching {
    Derived *from, *to;
    int source[MOST_HEADS]; /* the head of `from` that takes the place of each
                             */
    int tried;              /* orders of the heads */
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

/* A row of gains is in the symbol as a diagonal matrix; this is the row. */
static Matrix
row_of_gains(const Symbol *s)
{
    int from = (int)(s->m.at - s->of->kept) / (s->of->cols + 1);
    return matrix(s->of->value + from, 1, s->m.rows, s->of->cols);
}

/* Sets an entry; false if it is something else already. */
static bool
set_entry(real *at, real value)
{
    if (isnan(*at))
        *at = value;
    return fabs((double)(*at - value)) <= 1e-9 * (1 + fabs((double)value));
}

/* Sets a symbol of `to` to a product; false if it has another shape, or was set
   to something else. Tokens, the identity, cannot be set at all. */
static bool
set_symbol(const Symbol *s, const Term *product)
{
    if (is_opaque(&product->chain[0]) || is_opaque(&product->chain[1]))
        return false;
    Matrix m = s->m, value = term_value(product, m.rows);
    bool fits = value.rows == m.rows && value.cols == m.cols;
    bool gains = s->of->rows == 1 && m.rows > 1 && m.cols > 1;
    Matrix row = gains ? row_of_gains(s) : m;
    for (int i = 0; fits && i < m.rows * m.cols; i++) {
        int r = i / m.cols, c = i % m.cols;
        if (gains && r != c)
            fits = fabs((double)value.at[i]) <= 1e-12;
        else if (gains)
            fits = set_entry(row.at + c, value.at[i]);
        else
            fits = set_entry(m.at + r * m.down + c * m.across, value.at[i]);
    }
    free(value.at);
    return fits;
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

/* Is it what the other one is, an operator that is no matrix? */
static bool
same_operator(const Symbol *s, const Chain *c, int at)
{
    return at < c->count && c->of[at].of->op == s->of->op;
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

/* Sets the matrices of a chain in order, to products of the other one's. The
   last one is all that is left, then also of `behind`, the keys, if there is
   such a chain. A factor goes to the first one. */
static bool
set_chain(const Matching *by, const Chain *target, const Chain *source,
          const Chain *behind, double factor, Values *lines)
{
    int last = target->count - 1, at = 0;
    while (last >= 0 && target->of[last].of->op)
        last--;
    for (int k = 0; k < target->count; k++) {
        const Symbol *s = &target->of[k];
        Term product = {.factor = factor};
        Chain *c = product.chain;
        if (s->of->op) {
            if (!same_operator(s, source, at++))
                return false;
            continue;
        }
        bool ends = k == last && k == target->count - 1;
        c->count = ends ? source->count - at : symbols_for(&s->m, source, at);
        memcpy(c->of, source->of + at, (size_t)c->count * sizeof *c->of);
        if (ends && behind)
            c[1] = *behind;
        if (!set_symbol(s, &product))
            return false;
        if (lines && s->of->value != by->to->run.x->value)
            add_line(lines, by->to, s, by->from, &product);
        at += c->count;
        factor = 1;
    }
    return fabs(factor - 1) <= 1e-12;
}

/* Sets the matrices of a term: those of queries to products of queries, unless
   the keys, or the queries, have no matrix. */
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

/* Sets what head `source` of the one needs in head `target` of the other. */
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

/* Sets all entries of all matrices of `to` to a number; or only those that are
   NaN. */
static void
fill(const Derived *to, real number, bool only_unset)
{
    const Weights *w = &to->run.weights;
    for (int i = 0; i < w->count; i++)
        for (int k = 0; k < w->list[i].rows * w->list[i].cols; k++)
            if (!only_unset || isnan(w->list[i].value[k]))
                w->list[i].value[k] = number;
}

/* All entries of all matrices of `to`, to or from `kept`. */
static void
copy_entries(const Derived *to, real *kept, bool back)
{
    const Weights *w = &to->run.weights;
    for (int i = 0; i < w->count; i++) {
        size_t size = (size_t)w->list[i].rows * (size_t)w->list[i].cols;
        memcpy(back ? w->list[i].value : kept, back ? kept : w->list[i].value,
               size * sizeof *kept);
        kept += size;
    }
}

static size_t
entries_of(const Derived *d)
{
    size_t count = 0;
    for (int i = 0; i < d->run.weights.count; i++)
        count += (size_t)d->run.weights.list[i].rows *
                 (size_t)d->run.weights.list[i].cols;
    return count;
}

/* Finds heads of `from` for all heads of `to` from `head` on: first its own,
   then any other that no earlier one has. */
static bool
match_heads(Matching *by, int head)
{
    int heads = by->to->heads > 0 ? by->to->heads : 1;
    size_t count = entries_of(by->to);
    real *kept = allocate(count + 1, sizeof *kept);
    copy_entries(by->to, kept, false);
    bool found = false;
    if (head == heads) {
        fill(by->to, 0, true);
        by->tried++;
        found = by->tried <= MOST_ORDERS && by->accepts(by->more);
    }
    for (int i = 0; !found && head < heads && i < heads; i++) {
        int source = (head + i) % heads;
        bool skipped = by->tried > MOST_ORDERS;
        for (int k = 0; k < head; k++)
            skipped |= by->source[k] == source;
        if (skipped)
            continue;
        by->source[head] = source;
        found = set_head(by, source, head, NULL) && match_heads(by, head + 1);
        if (!found)
            copy_entries(by->to, kept, true);
    }
    free(kept);
    return found;
}

/* Renumbers the heads of `from` as they were matched, and sets all once more,
   for the lines. */
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
    fill(by->to, NAN, false);
    int heads = by->to->heads > 0 ? by->to->heads : 1;
    for (int head = 0; head < heads; head++)
        set_head(by, head, head, head ? NULL : lines);
    for (int i = 0; i < w->count; i++) {
        bool unset = true;
        for (int k = 0; k < w->list[i].rows * w->list[i].cols; k++)
            unset &= isnan(w->list[i].value[k]);
        if (unset)
            values_add(lines, format_text("%s := 0", w->list[i].name));
    }
    fill(by->to, 0, true);
}

bool
substitute(Derived *from, Derived *to, Accepts *accepts, void *more,
           Values *lines)
{
    Matching by = {.from = from, .to = to, .accepts = accepts, .more = more};
    if (from->heads != to->heads || to->heads > MOST_HEADS)
        return false;
    fill(to, NAN, false);
    bool found = match_heads(&by, 0);
    if (found)
        name_matches(&by, lines);
    return found;
}
