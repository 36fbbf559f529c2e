/* symbols.c - the nodes of a forward pass, as sums of products of symbols. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "algebra/symbols.h"
#include "heart/attention.h"
#include "heart/composed.h"
#include "heart/fail.h"
#include "heart/heads.h"

/* A term is the argument of a leaf on the tape. */
static Term *
new_term(Tape *t, Term like)
{
    Node *holder = leaf(t, 1, 1, 1, NULL, NULL);
    keep_arguments(holder, &like, sizeof like);
    return (Term *)holder->arguments;
}

const char *
weight_name(const Symbol *s)
{
    return s->kind >= MATRIX && s->of ? s->of->arguments : NULL;
}

int
symbol_rows(const Symbol *s)
{
    return s->transposed || s->kind == DIAGONAL ? s->cols : s->rows;
}

int
symbol_cols(const Symbol *s)
{
    return s->transposed ? s->rows : s->cols;
}

bool
is_softmax(const Symbol *s)
{
    return s->kind == ATOM &&
           (s->of->op == &softmax_op || s->of->op == &attend_op);
}

bool
sums_to_1(const Symbol *s)
{
    const Attended *with = s->of->arguments;
    return s->of->op == &attend_op ||
           (s->of->inputs == 1 && with->sink == -INFINITY);
}

/* X times these columns of the identity of that size are those columns of X. */
static Symbol
unit_columns(int size, int from, int count)
{
    return (Symbol){.kind = MATRIX, .rows = size, .col = from, .cols = count};
}

/* Columns of s, or rows, counted from its first. */
static Symbol
part_of(Symbol s, bool columns, int from, int count)
{
    bool across = columns != s.transposed || s.kind == DIAGONAL;
    *(across ? &s.col : &s.row) += from;
    *(across ? &s.cols : &s.rows) = count;
    return s;
}

/* Does a part of the identity only take columns of what is before it; or only
   rows of what is behind? */
static bool
takes_columns(const Symbol *s)
{
    return s->col >= s->row && s->col + s->cols <= s->row + s->rows;
}

static bool
takes_rows(const Symbol *s)
{
    return s->row >= s->col && s->row + s->rows <= s->col + s->cols;
}

/* Multiplies a term by a symbol. What parts of the identity take is taken: so
   they end as parts of matrices. False if the product is 0. */
static bool
append(Term *t, Symbol s)
{
    Symbol last = t->count ? t->of[t->count - 1] : (Symbol){.kind = TOKENS};
    if (s.kind == MATRIX && !s.of) {
        if (s.transposed)
            s = (Symbol){MATRIX, NULL, s.col, s.cols, s.row, s.rows, 0, false};
        if (s.col >= s.row + s.rows || s.row >= s.col + s.cols)
            return false;
        if (s.row == s.col && s.rows == s.cols)
            return true;
    }
    bool matrices = s.kind >= MATRIX && s.kind != SCALAR && last.kind >= MATRIX;
    bool takes = matrices && s.kind == MATRIX && !s.of;
    bool taken = matrices && last.kind == MATRIX && !last.of;
    if (takes && takes_columns(&s)) {
        t->count--;
        if (last.kind == DIAGONAL && !append(t, s))
            return false;
        return append(t, part_of(last, true, s.col - s.row, s.cols));
    }
    if (taken && takes_rows(&last)) {
        t->count--;
        return append(t, part_of(s, false, last.row - last.col, last.rows)) &&
               (s.kind == MATRIX || append(t, last));
    }
    if (s.kind == ONES && !s.transposed && is_softmax(&last) &&
        sums_to_1(&last))
        t->count--; /* P 1 = 1 */
    if (t->count == MOST_SYMBOLS || t->numbers == MOST_NUMBERS)
        bug("derive: a product of more than %d matrices, or %d numbers",
            MOST_SYMBOLS, MOST_NUMBERS);
    if (s.kind == SCALAR)
        t->number[t->numbers++] = s;
    else
        t->of[t->count++] = s;
    return true;
}

static Term *
term_of(Tape *t, Symbol s)
{
    Term one = {.factor = 1};
    append(&one, s);
    return new_term(t, one);
}

static Term *
product(Tape *t, const Term *a, const Term *b)
{
    Term *sum = NULL;
    for (; a; a = a->next)
        for (const Term *f = b; f; f = f->next) {
            Term c = *a;
            bool all = true;
            c.factor *= f->factor;
            c.next = NULL;
            for (int i = 0; i < f->count && all; i++)
                all = append(&c, f->of[i]);
            for (int i = 0; i < f->numbers && all; i++)
                append(&c, f->number[i]);
            sum = all ? joined_sums(sum, new_term(t, c)) : sum;
        }
    return sum;
}

Term *
transpose_of(Tape *t, const Term *a)
{
    Term *sum = NULL;
    for (; a; a = a->next) {
        Term back = *a;
        back.next = NULL;
        for (int i = 0; i < a->count; i++) {
            Symbol *s = &back.of[a->count - 1 - i];
            *s = a->of[i];
            s->transposed ^= s->kind != DIAGONAL;
        }
        sum = joined_sums(sum, new_term(t, back));
    }
    return sum;
}

Term *
joined_sums(Term *a, Term *b)
{
    Term **end = &a;
    while (*end)
        end = &(*end)->next;
    *end = b;
    return a;
}

static Term *
scaled(Term *a, double factor)
{
    for (Term *each = a; each; each = each->next)
        each->factor *= factor;
    return a;
}

/* A times a symbol. */
static Term *
times(const Node *n, const Term *a, Symbol s)
{
    return product(n->tape, a, term_of(n->tape, s));
}

/* `count` columns, from the column `from` on, of what serves head h of `heads`
   of n. */
static Term *head_of_result(const Node *c, int h);
static Term *
columns_for(const Node *n, int h, int heads, int from, int count)
{
    int width = n->cols / n->heads, own = h / (heads / n->heads);
    if (n->root->op && n->root->heads == n->heads)
        return times(n, head_of_result(n->root, own),
                     unit_columns(width, from, count));
    return times(n, symbols_of(n),
                 unit_columns(n->cols, own * width + from, count));
}

static Term *
head_for_symbols(const Node *n, int h, int heads)
{
    return columns_for(n, h, heads, 0, n->cols / n->heads);
}

/* A, put into `count` of that many columns. */
static Term *
put_columns(const Node *n, const Term *a, int all, int from, int count)
{
    Symbol s = unit_columns(all, from, count);
    s.transposed = true;
    return times(n, a, s);
}

/* q_i k_i' */
static Term *
score_symbols(const Node *q, const Node *k, int h)
{
    return product(q->tape, head_for_symbols(q, h, q->heads),
                   transpose_of(q->tape, head_for_symbols(k, h, q->heads)));
}

Term *
scores_behind(const Symbol *s)
{
    const Attended *with = s->of->arguments;
    Node *const *in = s->of->in;
    return scaled(s->of->op == &attend_op
                      ? score_symbols(in[0], in[1], s->head)
                      : head_for_symbols(in[0], s->head, s->of->heads),
                  with->scale);
}

static bool
is(const Node *n, const char *name)
{
    return n->op && !strcmp(n->op->name, name);
}

/* What head h of c gets of b, a row of weights that is repeated over tokens,
   and maybe over heads and columns: added to it, or as gains of its columns. */
static Symbol
row_symbol(const Node *c, int h, const Node *b, SymbolKind kind)
{
    int width = b->cols / b->heads, own = b->heads == 1 ? 0 : h;
    bool one = kind == DIAGONAL && width == 1 && c->cols != c->heads;
    return (Symbol){one ? SCALAR : kind, b->root, 0, 1,
                    own * width,         width,   0, false};
}

static bool
is_row(const Node *n)
{
    return is(n, "spread") && n->in[0]->rows == 1 && !n->in[0]->root->op;
}

/* Head h of the result of an operator: an atom unless it is one of these. */
static Term *
head_of_result(const Node *c, int h)
{
    Node *const *in = c->in;
    Tape *t = c->tape;
    int width = c->cols / c->heads;
    Term *sum = NULL, *atom = term_of(t, (Symbol){ATOM, c, .head = h});
    if (c->op == &matmul_op.op)
        return product(t, symbols_of(in[0]), symbols_of(in[1]));
    if (c->op == &matmul_t_op.op)
        return product(t, symbols_of(in[0]),
                       transpose_of(t, symbols_of(in[1])));
    if (c->op == &scale_op.op)
        return scaled(head_for_symbols(in[0], h, c->heads),
                      *(const double *)c->arguments);
    if (is(c, "add"))
        return joined_sums(head_for_symbols(in[0], h, c->heads),
                           head_for_symbols(in[1], h, c->heads));
    if (c->op == &scores_op.op)
        return score_symbols(in[0], in[1], h);
    if (c->op == &apply_weights_op.op || c->op == &attend_op)
        return product(
            t,
            c->op == &attend_op ? atom : head_for_symbols(in[0], h, c->heads),
            head_for_symbols(in[c->inputs - 1], h, c->heads));
    if (c->op == &fixed_bias_op)
        return joined_sums(head_for_symbols(in[0], h, c->heads), atom);
    if (is(c, "columns"))
        return columns_for(in[0], h, c->heads, *(const int *)c->arguments,
                           width);
    if (is(c, "hadamard") && is_row(in[1]->root))
        return times(c, head_for_symbols(in[0], h, c->heads),
                     row_symbol(c, h, in[1]->root->in[0], DIAGONAL));
    if (is_row(c))
        return times(c, term_of(t, (Symbol){.kind = ONES}),
                     row_symbol(c, h, in[0], MATRIX));
    if (c->op == &mix_heads_op.op && !in[1]->root->op)
        for (int i = 0; i < in[0]->heads; i++)
            sum = joined_sums(
                sum,
                times(c, head_for_symbols(in[0], i, in[0]->heads),
                      (Symbol){SCALAR, in[1]->root, i, 1, h, 1, 0, false}));
    for (int k = 0, from = 0; is(c, "concat") && k < c->inputs; k++) {
        int count = in[k]->cols / in[k]->heads;
        sum = joined_sums(sum,
                          put_columns(c, head_for_symbols(in[k], h, c->heads),
                                      width, from, count));
        from += count;
    }
    return sum ? sum : atom;
}

Term *
symbols_of(const Node *n)
{
    const Node *c = n->root;
    int width = c->cols / c->heads;
    Term *sum = NULL;
    if (!c->op)
        return term_of(c->tape, (Symbol){c->value ? MATRIX : TOKENS, c,
                                         .rows = c->rows, .cols = c->cols});
    for (int h = 0; h < c->heads; h++)
        sum = joined_sums(sum, put_columns(c, head_of_result(c, h), c->cols,
                                           h * width, width));
    return sum;
}

real *
symbol_entry(const Symbol *s, int i, int j)
{
    int row = s->row + (s->kind == MATRIX ? s->transposed ? j : i : 0);
    int col = s->col + (s->transposed ? i : j);
    return s->of && (s->kind == MATRIX || i == j)
               ? s->of->value + row * s->of->cols + col
               : NULL;
}

void
matrices_of(const Term *t, int *first, int *end)
{
    *first = 0;
    *end = t->count;
    while (*first < *end && t->of[*first].kind < MATRIX)
        ++*first;
    while (*first < *end && t->of[*end - 1].kind < MATRIX)
        --*end;
}

/* A slope is the imaginary part of what a very small imaginary step makes of a
   polynomial: so small that its square is lost in rounding, with no difference
   of nearly equal numbers. */
static const double step = 1e-30;

static double complex
entry(const Symbol *s, int i, int j)
{
    const real *at = symbol_entry(s, i, j);
    return !at ? !s->of && s->row + i == s->col + j
               : (double)*at +
                     step * I * (double)s->of->gradient[at - s->of->value];
}

/* y = x S */
static void
multiply_row(const Symbol *s, const double complex *x, double complex *y)
{
    int rows = symbol_rows(s), cols = symbol_cols(s);
    for (int j = 0; j < cols; j++) {
        y[j] = 0;
        for (int i = 0; i < rows; i++)
            y[j] += x[i] * entry(s, i, j);
    }
}

void
symbols_value(const Term *sum, int rows, int cols, double *to, bool slope)
{
    memset(to, 0, (size_t)rows * (size_t)cols * sizeof *to);
    for (; sum; sum = sum->next) {
        int widest = rows;
        for (int k = 0; k < sum->count; k++)
            if (symbol_cols(&sum->of[k]) > widest)
                widest = symbol_cols(&sum->of[k]);
        double complex *x = allocate((size_t)2 * widest, sizeof *x);
        for (int i = 0; i < rows; i++) {
            memset(x, 0, (size_t)rows * sizeof *x);
            x[i] = sum->factor;
            for (int k = 0; k < sum->numbers; k++)
                x[i] *= entry(&sum->number[k], 0, 0);
            for (int k = 0; k < sum->count; k++)
                if (sum->of[k].kind >= MATRIX) {
                    multiply_row(&sum->of[k], x, x + widest);
                    memcpy(x, x + widest, (size_t)widest * sizeof *x);
                }
            for (int j = 0; j < cols; j++)
                to[i * cols + j] += slope ? cimag(x[j]) / step : creal(x[j]);
        }
        free(x);
    }
}
