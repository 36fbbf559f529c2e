/* substitute.c - sets one variant's matrices to products of another's.

   The matrices of the variant `to` are set to products of the matrices of the
   variant `from`, as numbers and, for the reader, as lines of text. An entry
   that has not been set is NaN. An entry that several heads share is set
   several times, and must be set to the same number each time. terms.h explains
   chains, terms and symbols. */
#include <math.h>
#include <string.h>

#include "algebra/substitute.h"
#include "heart/fail.h"

/* Variants with more than MOST_HEADS heads are not compared. At most 6! = 720
   orders of the heads are tried, which are all orders of up to six heads. */
enum { MOST_HEADS = 16, MOST_ORDERS = 720 };

/* An assignment of the heads of `from` to the heads of `to`, and the state of
   the search for it. */
typedef struct Matching {
    Derived *from, *to;
    int heads; /* of either variant; 1 if both have none, since the constant
                  counts as head 0 */
    int source[MOST_HEADS]; /* for each head of `to`, the head of `from` whose
                               matrices it gets */
    int tried;              /* how many matchings of all heads were tried */
    Accepts *accepts;
    void *more;    /* the argument of accepts */
    Values *lines; /* gets a line for each matrix that is set, unless NULL */
} Matching;

/* Returns whether a chain has an operator that is not a product with a
   matrix. */
static bool
is_opaque(const Chain *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->symbol[i].node->op)
            return true;
    return false;
}

/* Sets an entry; returns false if it was set to a different number before. */
static bool
set_entry(real *entry, real value)
{
    if (isnan(*entry)) /* not set yet */
        *entry = value;
    return nearly_equal((double)*entry, (double)value);
}

/* Sets entry (r, c) of a symbol; returns false if this is not possible. Gains
   are the diagonal of a matrix whose other entries can only be set to 0. */
static bool
set_symbol_entry(const Symbol *s, int r, int c, real value)
{
    if (!is_gains(s))
        return set_entry(s->m.at + r * s->m.down + c * s->m.across, value);
    if (r == c)
        return set_entry(s->node->value + first_gain(s) + c, value);
    return nearly_equal((double)value, 0);
}

/* Sets a symbol of `to` to a product; returns false if the product has an
   operator or a different shape, or if an entry cannot be set. Tokens have the
   entries of the identity, so they can only be set to the identity. */
static bool
set_symbol(const Symbol *s, const Term *product)
{
    if (is_opaque(&product->chain[Q_SIDE]) ||
        is_opaque(&product->chain[K_SIDE]))
        return false;
    Matrix m = s->m, value = term_value(product, m.rows);
    bool fits = value.rows == m.rows && value.cols == m.cols;
    int entries = fits ? m.rows * m.cols : 0;
    for (int i = 0; i < entries; i++)
        if (!set_symbol_entry(s, i / m.cols, i % m.cols, value.at[i]))
            fits = false;
    free(value.at);
    return fits;
}

/* The number of symbols of a chain, from `begin` on, to whose product a matrix
   is set: 0 for the identity, a product of no symbols, which set_symbol refuses
   unless the matrix is square. */
static int
symbols_for(const Matrix *m, const Chain *c, int begin)
{
    const int identity = 0;
    if (begin >= c->count)
        return identity;
    const Matrix *first = &c->symbol[begin].m;
    if (first->rows == m->rows && first->cols == m->cols)
        return 1;
    if (m->rows == m->cols || first->rows != m->rows)
        return identity;
    /* The shortest product of the matrix's shape: it has the rows of its first
       symbol and the columns of its last. */
    for (int count = 2; begin + count <= c->count; count++)
        if (c->symbol[begin + count - 1].m.cols == m->cols)
            return count;
    return identity;
}

/* Adds a line such as "W_i^Q := W^Q W_i^Q" for symbol s of `to` and a product
   of matrices of `from`, unless the list has this line already. */
static void
add_line(const Matching *by, const Symbol *s, const Term *product)
{
    Values *lines = by->lines;
    /* Both sides are printed as terms; the left one consists of s. */
    Term left = {.factor = 1,
                 .factor_there = 1,
                 .chain[Q_SIDE] = {.count = 1, .symbol = {*s}}};
    Term set_to = *product;
    if (is_transposed(s) && product->chain[K_SIDE].count > 0) {
        /* A' := Q K' is written as A := K Q'. */
        left.chain[Q_SIDE].symbol[0].m = transposed(s->m);
        set_to.chain[Q_SIDE] = product->chain[K_SIDE];
        set_to.chain[K_SIDE] = product->chain[Q_SIDE];
    }
    char *line;
    FILE *text = begin_text(&line);
    print_term(text, by->to, &left, ONLY_MATRICES);
    fprintf(text, " := ");
    print_term(text, by->from, &set_to, ONLY_MATRICES);
    end_text(text, &line);
    for (int i = 0; i < lines->count; i++)
        if (!strcmp(lines->text[i], line))
            return;
    values_add(lines, line);
}

static const Number no_factor = {1, 1};

/* The product of `count` symbols of a chain, from `begin` on, and a factor. */
static Term
product_of_symbols(const Chain *c, int begin, int count, Number factor)
{
    Term product = {.factor = factor.here,
                    .factor_there = factor.there,
                    .chain[Q_SIDE].count = count};
    memcpy(product.chain[Q_SIDE].symbol, c->symbol + begin,
           (size_t)count * sizeof *c->symbol);
    return product;
}

/* Sets the matrices of the chain `target`, one after another, to products of
   the next matrices of `source`. Their product becomes factor S K', for the
   product S of `source` and the product K of `keys`. Returns false if this is
   not possible. */
static bool
set_chain(const Matching *by, const Chain *target, const Chain *source,
          const Chain *keys, Number factor)
{
    int used = 0; /* the symbols of `source` that are already in a product */
    for (int k = 0; k < target->count; k++) {
        const Symbol *s = &target->symbol[k];
        bool last = k == target->count - 1;
        if (s->node->op) { /* an operator: `source` must have it here, too */
            if (used == source->count ||
                source->symbol[used].node->op != s->node->op)
                return false;
            used++;
            continue;
        }
        int remaining = source->count - used;
        int count = last ? remaining : symbols_for(&s->m, source, used);
        Term product = product_of_symbols(source, used, count, factor);
        if (last) /* it gets all that remain, and the keys */
            product.chain[K_SIDE] = *keys;
        if (!set_symbol(s, &product))
            return false;
        if (by->lines && !is_tokens(by->to, s->node))
            add_line(by, s, &product);
        used += count;
        factor = no_factor; /* only the first matrix gets the factor */
    }
    /* A factor that no matrix got must be 1. */
    return nearly_equal(factor.here, 1);
}

/* Sets the matrices of the term `target` to products of the matrices of
   `source`, so that both terms are equal. Returns false if no such products are
   found. */
static bool
set_term(const Matching *by, const Term *target, const Term *source)
{
    static const Chain no_keys = {.count = 0};
    Number factor = {source->factor / target->factor, /* what matrices get */
                     source->factor_there / target->factor_there};
    const Chain *q = &target->chain[Q_SIDE], *k = &target->chain[K_SIDE];
    const Chain *from_q = &source->chain[Q_SIDE];
    const Chain *from_k = &source->chain[K_SIDE];
    if (!k->count) /* the matrices for queries get all of Q K' */
        return set_chain(by, q, from_q, from_k, factor);
    if (!q->count && !from_q->count) /* those for keys get the factor */
        return set_chain(by, k, from_k, &no_keys, factor);
    return set_chain(by, q, from_q, &no_keys, factor) &&
           set_chain(by, k, from_k, &no_keys, no_factor);
}

/* Sets the matrices of head `target` of `to` to products of the matrices of
   head `source` of `from`. Returns false if this is not possible. The matrices
   of a term that `from` lacks stay unset. */
static bool
set_head(const Matching *by, int source, int target)
{
    for (int i = 0; i < by->to->count; i++) {
        const Term *t = &by->to->term[i];
        const Term *s = term_of(by->from, source, t->piece, t->number);
        if (t->head == target && s && !set_term(by, t, s))
            return false;
    }
    return true;
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

/* Sets the unset entries of a matrix to 0; returns their number. */
static size_t
clear_unset(const Weight *w)
{
    size_t cleared = 0;
    for (size_t k = 0; k < entries_of(w); k++)
        if (isnan(w->value[k])) {
            w->value[k] = 0;
            cleared++;
        }
    return cleared;
}

/* Returns whether one of the first `heads` heads of `to` uses head `source` of
   `from`. */
static bool
is_taken(const Matching *by, int source, int heads)
{
    for (int k = 0; k < heads; k++)
        if (by->source[k] == source)
            return true;
    return false;
}

/* Unsets the matrices of all heads of `to` from `head` on: unsets everything,
   and sets the matrices of the heads before `head` again. */
static void
forget_from(const Matching *by, int head)
{
    unset_entries(by->to);
    for (int k = 0; k < head; k++)
        set_head(by, by->source[k], k);
}

/* Tries the matching once every head has its matrices: sets the remaining
   entries to 0, and returns whether this substitution is accepted. */
static bool
try_matching(Matching *by)
{
    const Weights *w = &by->to->run.weights;
    for (int i = 0; i < w->count; i++)
        clear_unset(&w->list[i]);
    by->tried++;
    return by->accepts(by->more);
}

/* Matches the heads of `to` from `head` on with heads of `from`, by
   backtracking: tries the head of the same number first, then each other that
   no earlier head uses. Returns true as soon as a matching of all heads is
   accepted, and false if none of the first MOST_ORDERS is. */
static bool
match_heads(Matching *by, int head)
{
    if (head == by->heads)
        return try_matching(by);
    for (int i = 0; i < by->heads && by->tried < MOST_ORDERS; i++) {
        int source = (head + i) % by->heads;
        if (is_taken(by, source, head))
            continue;
        by->source[head] = source;
        if (set_head(by, source, head) && match_heads(by, head + 1))
            return true;
        forget_from(by, head);
    }
    return false;
}

/* Gives each head of `from` the number of the head of `to` with which it was
   matched. Every head was matched, since both have the same number of heads. */
static void
renumber_heads(const Matching *by)
{
    for (int i = 0; i < by->from->count; i++) {
        Term *t = &by->from->term[i];
        int head = 0;
        while (by->source[head] != t->head)
            head++;
        t->head = head;
    }
}

/* Sets all matrices once more, this time to write the lines: for the matrices
   of one head, and for those that become 0. Matched heads now have the same
   number. */
static void
write_lines(Matching *by, Values *lines)
{
    const Weights *w = &by->to->run.weights;
    const char *equation = by->to->run.variant->equation;
    unset_entries(by->to);
    for (int head = 0; head < by->heads; head++) {
        by->lines = head == PRINTED_HEAD ? lines : NULL;
        set_head(by, head, head); /* succeeds, as it did in the search */
    }
    for (int i = 0; i < w->count; i++) {
        const Weight *one = &w->list[i];
        size_t unset = clear_unset(one); /* entries that become 0 */
        const char *indexed = name_in_equation(equation, one->name);
        if (unset == entries_of(one))
            values_add(lines,
                       format_text("%s := 0", indexed ? indexed : one->name));
    }
}

bool
substitute(Derived *from, Derived *to, Accepts *accepts, void *more,
           Values *lines)
{
    const int first_head = 0;
    Matching by = {.from = from, .to = to, .accepts = accepts, .more = more};
    if (from->heads != to->heads || to->heads > MOST_HEADS)
        return false;
    by.heads = to->heads > 0 ? to->heads : 1; /* 1 for the constant only */
    unset_entries(to);
    bool found = match_heads(&by, first_head);
    if (found) {
        renumber_heads(&by);
        write_lines(&by, lines);
    }
    return found;
}
