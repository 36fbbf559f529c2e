/* terms.c - a derived form, term by term: its symbols, ranks and values. */
#include <math.h>
#include <string.h>

#include "algebra/fit.h"
#include "algebra/operator_table.h"
#include "algebra/terms.h"
#include "heart/fail.h"

/* Rounding changes a number by less than this, relative to 1 + its size. */
#define MOST_ROUNDED 1e-9

bool
nearly_equal(double a, double b)
{
    return fabs(a - b) <= MOST_ROUNDED * (1 + fabs(b));
}

static int
smaller(int a, int b)
{
    return a < b ? a : b;
}

const Term *
term_of(const Derived *d, int head, Piece piece, int number)
{
    for (int i = 0; i < d->count; i++) {
        const Term *t = &d->term[i];
        if (t->head == head && t->piece == piece && t->number == number)
            return t;
    }
    return NULL;
}

/* Heads are counted from the last. */
int
head_there(const Derived *d, int head)
{
    int heads = d->run.attention.heads;
    int more = d->there->run.attention.heads - heads;
    int own = head % heads + more; /* within its call */
    return head / heads * (heads + more) + (own > 0 ? own : 0);
}

/* Sets factor_there of each term of d. The other form may have fewer terms, as
   of a sum over heads: then its last is taken. */
static void
find_factors_there(Derived *d, const Derived *other)
{
    d->there = other;
    for (Term *t = d->term; t && t < d->term + d->count; t++) {
        const Term *same = NULL;
        int head = head_there(d, t->head);
        for (int number = t->number; number >= 0 && !same; number--)
            same = term_of(other, head, t->piece, number);
        t->factor_there = same ? same->factor : NAN;
    }
}

void
pair_forms(Derived *d, Derived *other)
{
    find_factors_there(d, other);
    find_factors_there(other, d);
}

/* Returns whether two symbols are the same part of the same matrix. */
static bool
is_same_part(const Symbol *a, const Symbol *b)
{
    return a->node == b->node && a->m.at == b->m.at && a->m.rows == b->m.rows &&
           a->m.cols == b->m.cols && a->m.down == b->m.down &&
           a->m.across == b->m.across;
}

typedef enum { FIRST_SYMBOL, LAST_SYMBOL } End;

/* The matrix at one end of a term's chain; NULL if the chain is empty, or has
   an operator at this end. */
static const Symbol *
end_symbol(const Term *t, int side, End end)
{
    const Chain *c = &t->chain[side];
    if (c->count == 0)
        return NULL;
    const Symbol *s = &c->symbol[end == FIRST_SYMBOL ? 0 : c->count - 1];
    return s->node->op ? NULL : s;
}

/* Returns whether a term before t, of the same piece and head, has the same
   symbol as t at this end. t must have one there. */
static bool
end_is_repeated(const Derived *d, const Term *t, int side, End end)
{
    const Symbol *symbol = end_symbol(t, side, end);
    for (int number = FIRST_TERM; number < t->number; number++) {
        const Term *before = term_of(d, t->head, t->piece, number);
        const Symbol *other = end_symbol(before, side, end);
        if (other && is_same_part(other, symbol))
            return true;
    }
    return false;
}

/* Bounds the rank of a piece by the matrices at one end of its terms. If terms
   have the same matrix C at this end, their sum has the form (A + B) C, whose
   rank is at most C's smaller side. The other terms add their widths. */
static int
rank_by_ends(const Derived *d, int head, Piece piece, int side, End end)
{
    int rank = 0;
    for (int i = 0; i < d->count; i++) {
        const Term *t = &d->term[i];
        if (t->head != head || t->piece != piece)
            continue;
        const Symbol *symbol = end_symbol(t, side, end);
        if (!symbol)
            rank += t->width;
        else if (!end_is_repeated(d, t, side, end))
            rank += smaller(symbol->m.rows, symbol->m.cols);
    }
    return rank;
}

int
rank_bound(const Derived *d, int head, Piece piece)
{
    int widths = 0;
    for (int i = 0; i < d->count; i++)
        if (d->term[i].head == head && d->term[i].piece == piece)
            widths += d->term[i].width;
    int by_first = rank_by_ends(d, head, piece, Q_SIDE, FIRST_SYMBOL);
    int by_last = rank_by_ends(d, head, piece, Q_SIDE, LAST_SYMBOL);
    if (piece == M_PIECE) /* the last matrix of Q K' is the first of K */
        by_last = rank_by_ends(d, head, piece, K_SIDE, FIRST_SYMBOL);
    int by_ends = smaller(by_first, by_last);
    return smaller(smaller(widths, by_ends), d->run.attention.d_model);
}

/* Returns whether two names differ only in their first number, as "W_1^Q" and
   "W_2^Q" do. */
static bool
names_alike(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    size_t before = strcspn(a, digits); /* characters before the number */
    if (strcspn(b, digits) != before || strncmp(a, b, before))
        return false;
    const char *number_a = a + before, *number_b = b + before;
    size_t length_a = strspn(number_a, digits);
    size_t length_b = strspn(number_b, digits);
    return length_a > 0 && length_b > 0 &&
           !strcmp(number_a + length_a, number_b + length_b);
}

/* Returns whether node a of one head corresponds to node b of another head.
   They do if they are the same node, or have the same operator, or are matrices
   of one shape whose names differ only in a number. A matrix has no operator,
   and its `arguments` are its name (leaf). */
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
    const Symbol *other = &t->chain[s->side].symbol[s->place];
    return nodes_alike(s->node, other->node) ? other : NULL;
}

/* In a stored matrix, neighbouring entries of a row are neighbours in memory.
 */
bool
is_transposed(const Symbol *s)
{
    return s->m.across > 1;
}

bool
is_tokens(const Derived *d, const Node *n)
{
    return n == d->run.x || n == d->run.y;
}

/* Follows columns(columns(W)) down to the leaf W. It must have one head: of
   several, each would have its own columns, which are not neighbours in W. */
Symbol
weights_of(const Derived *d, const Node *n)
{
    int first = 0; /* the number of the result's first column in W */
    int count = n->cols;
    while (meaning_of(n)->passage == COLUMNS && n->heads == 1) {
        const int *first_column = n->arguments; /* in n's operand */
        const Node *operand = n->in[0];
        first += *first_column;
        n = operand->root;
    }
    if (n->op || is_tokens(d, n)) /* not weights */
        return (Symbol){.node = NULL};
    return (Symbol){.node = n,
                    .m = matrix(n->value + first, n->rows, count, n->cols)};
}

/* A matrix that is a part of a stored row has only one row, or one column,
   unless it is the diagonal matrix that gains_matrix made. */
bool
is_gains(const Symbol *s)
{
    return s->node->rows == 1 && s->m.rows > 1 && s->m.cols > 1;
}

/* Stores the diagonal matrix D of all n gains (n x n) in `kept`, a field that
   only nodes with an operator use, so that it is free in a leaf. Returns a
   block of D, which begins at its entry (first, first). */
Matrix
gains_matrix(const Node *row, int first, int count)
{
    int n = row->cols;
    Node *root = row->root; /* the leaf */
    if (!root->kept)
        root->kept = keep(root, (size_t)n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            root->kept[i * n + j] = i == j ? row->value[i] : 0;
    return matrix(root->kept + first * n + first, count, count, n);
}

int
first_gain(const Symbol *s)
{
    int n = s->node->cols;
    int at = (int)(s->m.at - s->node->kept); /* first n + first in D */
    return at / (n + 1);
}

/* Returns whether head `head` has the same term as t: the same factor, and
   parts of the same shapes, which may be different columns of a matrix. */
static bool
term_alike(const Derived *d, const Term *t, int head)
{
    const Term *other = term_of(d, head, t->piece, t->number);
    if (!other || other->factor != t->factor)
        return false;
    for (int side = 0; side < SIDES; side++) {
        const Chain *c = &t->chain[side];
        if (c->count != other->chain[side].count)
            return false;
        for (int i = 0; i < c->count; i++) {
            const Symbol *s = &c->symbol[i], *same = symbol_of(d, head, s);
            if (!same || same->m.rows != s->m.rows || same->m.cols != s->m.cols)
                return false;
        }
    }
    return true;
}

/* Compares every head with head 0. Without heads, the terms of the constant
   count as those of head 0. */
bool
heads_alike(const Derived *d)
{
    int terms = 0; /* of head 0 */
    for (int i = 0; i < d->count; i++) {
        const Term *t = &d->term[i];
        if (t->head != 0)
            continue;
        terms++;
        for (int head = 1; head < d->heads; head++)
            if (!term_alike(d, t, head))
                return false;
    }
    bool no_other_terms = terms * d->heads == d->count; /* in other heads */
    return d->heads == 0 || no_other_terms;
}

/* A matrix of zeros. The caller frees its entries. */
static Matrix
new_matrix(int rows, int cols)
{
    real *entries = allocate((size_t)rows * cols, sizeof *entries);
    return matrix(entries, rows, cols, cols);
}

/* The product x m, a new matrix. Frees the entries of x. */
static Matrix
multiplied_by(Matrix x, Matrix m)
{
    Matrix product = new_matrix(x.rows, m.cols);
    multiply(product, x, m);
    free(x.at);
    return product;
}

Matrix
term_value(const Term *t, int identity_rows)
{
    const Chain *q = &t->chain[Q_SIDE], *k = &t->chain[K_SIDE];
    int rows = identity_rows; /* of the first matrix of Q K', if there is one */
    if (q->count > 0)
        rows = q->symbol[0].m.rows;
    else if (k->count > 0) /* the rows of K' are the columns of K */
        rows = k->symbol[k->count - 1].m.cols;
    Matrix product = new_matrix(rows, rows);
    for (int i = 0; i < rows; i++)
        product.at[i * rows + i] = (real)t->factor;
    for (int i = 0; i < q->count; i++)
        product = multiplied_by(product, q->symbol[i].m);
    for (int i = k->count - 1; i >= 0; i--) /* (K_1 K_2)' = K_2' K_1' */
        product = multiplied_by(product, transposed(k->symbol[i].m));
    return product;
}

/* The derived form as numbers: each term is added to its piece. */
static Canonical
derived_form(const Derived *d)
{
    int n = d->run.attention.d_model;
    Canonical c = {.d_model = n};
    canonical_allocate(&c, d->heads);
    for (int k = 0; k < d->count; k++) {
        const Term *t = &d->term[k];
        if (t->piece == CONSTANT && t->head > 0) /* it repeats head 0's */
            continue;
        int head = d->heads - 1 - t->head; /* t->head counts backwards */
        double *m = c.m + head * c.size, *last_row_of_m = m + n * n;
        /* The last rows of all N_i add up to the constant (canonical.h). */
        double *const sum[PIECES] = {[M_PIECE] = m,
                                     [M_ROW] = last_row_of_m,
                                     [N_PIECE] = c.n + head * c.size,
                                     [N_ROW] = c.constant,
                                     [CONSTANT] = c.constant};
        Matrix value = term_value(t, n);
        for (int i = 0; i < value.rows * n; i++)
            sum[t->piece][i] += (double)value.at[i];
        free(value.at);
    }
    return c;
}

/* An entry may be off by `rounding` of the largest. */
bool
probe_confirms(const Derived *d)
{
    const double rounding = sizeof(real) == 4 ? 1e-4 : 1e-12;
    const BlockRun *a = &d->run;
    Canonical derived = derived_form(d);
    Canonical probed =
        canonical_form(a->variant, a->attention, a->weights, FEWEST_POSITIONS);
    bool equal = probed.m && fit_error(&derived, &probed).apart <= rounding;
    canonical_free(&derived);
    canonical_free(&probed);
    return equal;
}
