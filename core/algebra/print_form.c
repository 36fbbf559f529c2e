/* print_form.c - a derived form as a paper writes it.

   A number in a factor is printed as the name of a width of the shape that has
   this value. A matrix is printed by its name, with an index if heads use
   different blocks of it. Which block a head uses follows from the row or
   column at which its part of the matrix begins. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/print_form.h"
#include "base/words.h"

/* The name of the first width in the list below that is equal to a number, at
   both shapes; NULL if none is. */
static const char *
width_named(const Derived *d, Number n)
{
    const Attention *a = &d->run.attention;
    const Attention *b = d->there ? &d->there->run.attention : a;
    const struct {
        const char *name;
        int here, there;
    } all[] = {{"d_model", a->d_model, b->d_model},
               {"d_model / h", a->d_model / a->heads, b->d_model / b->heads},
               {"latent", a->latent, b->latent},
               {"d_k", a->d_k, b->d_k},
               {"d_v", a->d_v, b->d_v},
               {"h d_k", a->heads * a->d_k, b->heads * b->d_k}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (nearly_equal(n.here, all[i].here) &&
            nearly_equal(n.there, all[i].there))
            return all[i].name;
    return NULL;
}

/* The number n times `by`, and times itself. */
static Number
multiplied(Number n, double by)
{
    return (Number){n.here * by, n.there * by};
}

static Number
squared(Number n)
{
    return (Number){n.here * n.here, n.there * n.there};
}

/* Returns whether a number is 1 at both shapes. */
static bool
is_one(Number n)
{
    return nearly_equal(n.here, 1) && nearly_equal(n.there, 1);
}

/* The largest multiple of a width that gets a name: "4 d_k". */
enum { MOST_TIMES = 4 };

const char *
number_named(const Derived *d, Number n)
{
    for (int times = 1; times <= MOST_TIMES; times++) {
        Number one_time = multiplied(n, 1. / times);
        const char *width = width_named(d, one_time);
        const char *root = width_named(d, squared(one_time));
        const char *prefix = times == 1 ? "" : format_text("%d ", times);
        if (is_one(one_time))
            return format_text("%d", times);
        if (width)
            return format_text("%s%s", prefix, width);
        if (root)
            return format_text("%ssqrt(%s)", prefix, root);
    }
    return NULL;
}

/* The number as 1, 2, 3 or 4 divided by a number that has a name: "/ d_k",
   "2 / sqrt(d_k)" or "/ (2 d_k)"; NULL if it is none of these. */
static const char *
quotient_named(const Derived *d, Number n)
{
    for (int dividend = 1; dividend <= MOST_TIMES; dividend++) {
        const char *divisor =
            number_named(d, (Number){dividend / n.here, dividend / n.there});
        if (!divisor)
            continue;
        /* "2 d_k" needs brackets; "sqrt(d_model / h)" has them. */
        bool is_root = strncmp(divisor, "sqrt(", strlen("sqrt(")) == 0;
        bool brackets = strchr(divisor, ' ') && !is_root;
        const char *over = format_text(brackets ? "/ (%s)" : "/ %s", divisor);
        return dividend == 1 ? over : format_text("%d %s", dividend, over);
    }
    return NULL;
}

/* Prints the factor of a term after its product, without its sign: nothing for
   1, " / d_k", " d_k", " 2 / d_k", or " sqrt(latent / d_k)". Any other number
   is printed in digits. */
static void
print_factor(FILE *to, const Derived *d, const Term *t)
{
    double there = d->there ? t->factor_there : t->factor;
    Number size = {fabs(t->factor), fabs(there)};
    if (is_one(size))
        return;
    const char *name = number_named(d, size);
    if (!name)
        name = quotient_named(d, size);
    /* The width w for which the factor is sqrt(w / d_k): */
    Number over_d_k = squared(size);
    over_d_k.here *= d->run.attention.d_k;
    over_d_k.there *= (d->there ? d->there : d)->run.attention.d_k;
    const char *width = width_named(d, over_d_k);
    if (name)
        fprintf(to, " %s", name);
    else if (width)
        fprintf(to, " sqrt(%s / d_k)", width);
    else
        fprintf(to, " %g", size.here);
}

/* How heads divide a matrix among them: by its rows, or by its columns. If each
   head has a separate matrix, such as "W_1^Q", the number in the matrix's name
   tells the heads apart. */
typedef enum Axis { ALONG_ROWS, ALONG_COLUMNS, BY_NAME } Axis;

/* The rows or columns of its stored matrix that a symbol uses. A diagonal
   matrix is stored as one row of gains; its symbol uses some columns of this
   row. The axis is not BY_NAME. */
static Span
span_of(const Symbol *s, Axis axis)
{
    const Node *node = s->node;
    Matrix stored = is_transposed(s) ? transposed(s->m) : s->m;
    int rows = is_gains(s) ? 1 : stored.rows;
    /* Entries of the stored matrix before the symbol's first, row by row: */
    int before = is_gains(s) ? first_gain(s) : (int)(s->m.at - node->value);
    if (axis == ALONG_COLUMNS)
        return (Span){.first = before % node->cols,
                      .count = stored.cols,
                      .all = node->cols};
    return (Span){
        .first = before / node->cols, .count = rows, .all = node->rows};
}

enum { MOST_COMPARED = 64 };

/* Which block of a matrix each head uses. A block is `stride` rows or columns
   of the matrix. If the axis is BY_NAME, each block is a matrix with a number
   in its name, and start and stride are such numbers. Heads and blocks are
   counted from 0, in the variant's order. */
typedef struct Pattern {
    int heads;                  /* how many heads were compared */
    int of_head[MOST_COMPARED]; /* head i uses block of_head[i], */
    int start, stride;          /* which begins at start + of_head[i] stride */
    int blocks;                 /* 1 + the largest of_head[i] */
    bool known; /* false if the heads do not follow such a pattern */
} Pattern;

/* The smallest of n numbers that is larger than `bound`; INT_MAX if none is. */
static int
next_larger(const int *numbers, int n, int bound)
{
    int next = INT_MAX;
    for (int i = 0; i < n; i++)
        if (numbers[i] > bound && numbers[i] < next)
            next = numbers[i];
    return next;
}

/* The place at which a symbol begins along an axis: its first row or column in
   its matrix or, if the axis is BY_NAME, the number in the matrix's name. */
static int
start_of_symbol(const Symbol *s, Axis axis)
{
    if (axis != BY_NAME)
        return span_of(s, axis).first;
    const char *name = s->node->arguments; /* the matrix's name (tape.h) */
    const char *number = name + strcspn(name, "0123456789");
    return atoi(number);
}

/* Sets starts[i] to the start of head i's symbol at the address of s (Symbol):
   in the same term, on the same side, at the same place in the chain. Heads are
   counted from the one that symbol_of calls last + heads - 1. Returns false if
   a head has no such symbol. */
static bool
find_starts(const Derived *d, const Symbol *s, Axis axis, int last, int heads,
            int starts[MOST_COMPARED])
{
    for (int i = 0; i < heads; i++) {
        int from_last = last + heads - 1 - i;
        const Symbol *own = symbol_of(d, from_last, s);
        if (!own)
            return false;
        starts[i] = start_of_symbol(own, axis);
    }
    return true;
}

/* The number of the last head of the call that has `head`. */
static int
last_of_call(const Derived *d, int head)
{
    return head - head % d->run.attention.heads;
}

/* Finds the pattern along an axis from the starts of all heads of a call of
   attend: of the call that has `head`, if the variant has several. */
static Pattern
pattern_along(const Derived *d, int head, const Symbol *s, Axis axis)
{
    Pattern p = {.heads = d->run.attention.heads, .blocks = 1};
    int starts[MOST_COMPARED];
    if (p.heads > d->heads)
        p.heads = d->heads;
    if (p.heads > MOST_COMPARED)
        p.heads = MOST_COMPARED;
    int last = last_of_call(d, head);
    p.known = find_starts(d, s, axis, last, p.heads, starts);
    if (!p.known)
        return p;
    p.start = next_larger(starts, p.heads, INT_MIN); /* the smallest */
    /* From it to the next. If all are equal, the stride is larger than any
       matrix, and all heads use block 0. */
    p.stride = next_larger(starts, p.heads, p.start) - p.start;
    for (int i = 0; i < p.heads; i++) {
        int distance = starts[i] - p.start;
        p.of_head[i] = distance / p.stride;
        p.known &= distance % p.stride == 0;
        if (p.of_head[i] >= p.blocks)
            p.blocks = p.of_head[i] + 1;
    }
    return p;
}

/* Returns whether neighbouring heads share a block, as grouped heads do: 0, 0,
   1, 1. If the number of blocks does not divide that of heads, some blocks have
   one head more, as in 0, 0, 1. */
static bool
shared_by_neighbours(const Pattern *p)
{
    for (int i = 0; i < p->heads; i++)
        if (p->of_head[i] != i * p->blocks / p->heads)
            return false;
    return true;
}

/* Returns whether each head i uses block (i + by) % blocks. */
static bool
shifted_by(const Pattern *p, int by)
{
    for (int i = 0; i < p->heads; i++)
        if (p->of_head[i] != (i + by) % p->blocks)
            return false;
    return true;
}

/* The index that a matrix gets. If its parts are no blocks of equal size, it is
   printed_block, the block of the printed head, counted from 1. */
static const char *
index_text(const Pattern *p, int printed_block)
{
    const int unshifted = 0;
    bool one_each = p->blocks == p->heads;
    if (!p->known)
        return format_text("{%d}", printed_block);
    if (p->blocks == 1) /* all heads use it */
        return "";
    if (shared_by_neighbours(p)) /* g is the number of a head's group */
        return one_each ? "i" : "g";
    if (shifted_by(p, unshifted)) /* g is how many blocks there are */
        return "{i mod g}";
    for (int by = 1; by < p->heads; by++)
        if (one_each && shifted_by(p, by))
            return format_text("{i+%d}", by);
    char *text = ""; /* a list of the block of each head */
    for (int i = 0; i < p->heads; i++)
        text = format_text("%s%s%d", text, i ? "," : "", p->of_head[i] + 1);
    return format_text("{%s}", text);
}

/* Returns whether a chain has another part of the matrix of s in the same
   role. */
static bool
has_other_part(const Chain *c, const Symbol *s)
{
    for (int i = 0; i < c->count; i++) {
        const Symbol *other = &c->symbol[i];
        if (other->node == s->node && other->role == s->role &&
            other->m.at != s->m.at)
            return true;
    }
    return false;
}

/* Returns whether the head has another part of the matrix of s in the same
   role. Then the role does not tell which part s is. */
static bool
role_is_ambiguous(const Derived *d, int head, const Symbol *s)
{
    for (int i = 0; i < d->count; i++) {
        const Chain *c = d->term[i].chain;
        if (d->term[i].head == head &&
            (has_other_part(&c[Q_SIDE], s) || has_other_part(&c[K_SIDE], s)))
            return true;
    }
    return false;
}

/* The number of a row or column within its block, as text: as a width or half
   of one if possible, "d_k" or "d_k/2", otherwise as digits, "3". Only the text
   at another shape shows whether the width is the right one (only_where). */
static const char *
position_named(const Derived *d, int position)
{
    Derived here = *d;
    here.there = NULL;
    Number n = {position, position};
    if (position == 0)
        return "0";
    const char *whole = width_named(&here, n);
    const char *half = width_named(&here, multiplied(n, 2));
    if (whole)
        return whole;
    return half ? format_text("%s/2", half) : format_text("%d", position);
}

/* What a matrix's name is marked with: the index of the block that a head uses,
   "i"; and if the head uses only a part of the block, the part's role, ".q", or
   its range, "[0:d_k/2]". Both may be "". */
typedef struct Marks {
    const char *index, *part;
} Marks;

/* Marks a symbol that is only a part of its head's block, which begins at
   p->start in the first block: by its role if that tells which part it is, or
   by its range in the block, from the first row or column to the one after the
   last. `span` has its rows or columns in the whole matrix. */
static void
mark_part(Marks *marks, const Derived *d, int head, const Symbol *s,
          const Pattern *p, Span span)
{
    if (p->known && !is_tokens(d, s->node) && !role_is_ambiguous(d, head, s)) {
        marks->part = format_text(".%c", s->role);
        return;
    }
    if (d->why) /* it has no form, so its chains may be incomplete */
        return;
    /* Without a pattern, a block has the symbol's size. */
    int first = p->known ? p->start : span.first % span.count;
    marks->part = format_text("[%s:%s]", position_named(d, first),
                              position_named(d, first + span.count));
}

/* Sets the marks that a symbol needs along an axis, of its rows or columns. */
static void
mark_axis(Marks *marks, const Derived *d, int head, const Symbol *s, Axis axis)
{
    Span span = span_of(s, axis);
    if (span.count == span.all) /* it uses all of its matrix */
        return;
    Pattern p = pattern_along(d, head, s, axis);
    /* For the index of heads that follow no pattern: */
    int blocks_before = span.first / span.count;
    const char *index = index_text(&p, blocks_before + 1);
    if (*index)
        marks->index = index;
    int block_size = p.blocks > 1 ? p.stride : span.all;
    bool whole_block =
        span.count == block_size && p.blocks * block_size == span.all;
    /* Tokens, which count as the identity, need no more than an index. */
    bool block_of_tokens = p.blocks > 1 && is_tokens(d, s->node);
    if (!whole_block && !block_of_tokens)
        mark_part(marks, d, head, s, &p, span);
}

/* The marks that tell which part of its matrix a symbol of a head is. The
   matrices of the constant have no marks, since all heads share them. */
static Marks
marks_of(const Derived *d, int head, const Symbol *s)
{
    Marks marks = {.index = "", .part = ""};
    const int printed_block = 1; /* the index if names follow no pattern */
    int last = last_of_call(d, head), other = head == last ? last + 1 : last;
    const Symbol *in_other_head = symbol_of(d, other, s);
    bool matrix_for_each_head = in_other_head && in_other_head->node != s->node;
    if (matrix_for_each_head) {
        Pattern p = pattern_along(d, head, s, BY_NAME);
        marks.index = index_text(&p, printed_block);
    } else if (s->piece != CONSTANT) {
        if (!is_tokens(d, s->node))
            mark_axis(&marks, d, head, s, ALONG_ROWS);
        mark_axis(&marks, d, head, s, ALONG_COLUMNS);
    }
    return marks;
}

const char *
name_in_equation(const char *equation, const char *name)
{
    static const char *const indices[] = {"", "_i", "_g"};
    int letters = (int)strcspn(name, "^"); /* 1, the length of W, for W^Q */
    const char *exponent = name + letters; /* "^Q" */
    for (size_t k = 0; k < sizeof indices / sizeof *indices; k++) {
        const char *indexed =
            format_text("%.*s%s%s", letters, name, indices[k], exponent);
        const char *found = strstr(equation, indexed);
        if (!found)
            continue;
        /* A letter or digit would make it another name: W^QK is not W^Q. */
        char after = found[strlen(indexed)];
        if (!isalnum((unsigned char)after))
            return indexed;
    }
    return NULL;
}

/* Prints a symbol of a head with its marks: "W_i^Q" for a matrix called W^Q or
   W_i^Q, "W_i^Q'" if it is transposed, "diag(...)" for gains, "I" for tokens,
   and
   "[tanh]" for an operator. */
static void
print_symbol(FILE *to, const Derived *d, int head, const Symbol *s)
{
    const Node *node = s->node;
    if (node->op) {
        fprintf(to, "[%s]", node->op->name);
        return;
    }
    const char *name = node->arguments; /* a leaf's name (tape.h) */
    if (is_tokens(d, node))
        name = "I";
    int letters = (int)strcspn(name, "_^"); /* 1, the length of W, for W_i^Q */
    const char *exponent = name + strcspn(name, "^");
    Marks marks = marks_of(d, head, s);
    fprintf(to, "%s", is_gains(s) ? "diag(" : "");
    if (*marks.index)
        fprintf(to, "%.*s_%s%s", letters, name, marks.index, exponent);
    else
        fprintf(to, "%s", name);
    fprintf(to, "%s%s%s", marks.part, is_gains(s) ? ")" : "",
            is_transposed(s) ? "'" : "");
}

/* Prints the tokens, unless they are NULL, and then the symbols of a chain, all
   separated by spaces. */
static void
print_chain(FILE *to, const Derived *d, int head, const Chain *c,
            const char *tokens)
{
    if (tokens)
        fprintf(to, "%s", tokens);
    for (int i = 0; i < c->count; i++) {
        fprintf(to, "%s", tokens || i > 0 ? " " : "");
        print_symbol(to, d, head, &c->symbol[i]);
    }
}

/* Prints Q (K)', or Q y' if the keys are only tokens, and then the factor. A
   term without symbols, whose tokens are not printed, is the identity, I. */
void
print_term(FILE *to, const Derived *d, const Term *t, Shown shown)
{
    const Chain *q = &t->chain[Q_SIDE], *k = &t->chain[K_SIDE];
    const char *q_tokens = shown == WITH_TOKENS ? q->tokens : NULL;
    const char *k_tokens = shown == WITH_TOKENS ? k->tokens : NULL;
    bool has_q = q_tokens || q->count, has_k = k_tokens || k->count;
    fprintf(to, "%s", t->factor < 0 ? "-" : "");
    print_chain(to, d, t->head, q, q_tokens);
    fprintf(to, "%s", has_q && has_k ? " " : "");
    fprintf(to, "%s", k->count ? "(" : "");
    print_chain(to, d, t->head, k, k_tokens);
    fprintf(to, "%s%s", k->count ? ")" : "", has_k ? "'" : "");
    fprintf(to, "%s", has_q || has_k ? "" : "I");
    print_factor(to, d, t);
}

/* Prints two terms as "A B' + C D'", and more as "A B' + ... + C D'". */
void
print_piece(FILE *to, const Derived *d, int head, Piece piece, Shown shown)
{
    int terms = 0;
    while (term_of(d, head, piece, terms))
        terms++;
    if (terms > 0)
        print_term(to, d, term_of(d, head, piece, FIRST_TERM), shown);
    if (terms < 2)
        return;
    Term last = *term_of(d, head, piece, terms - 1);
    const char *sign = last.factor < 0 ? " - " : " + ";
    last.factor = fabs(last.factor); /* the sign is printed already */
    fprintf(to, "%s%s", terms > 2 ? " + ..." : "", sign);
    print_term(to, d, &last, shown);
}

/* If a variant does not attend, its form is only the constant. */
char *
form_spelled(const Derived *d)
{
    static const char *const before[PIECES] = {[M_PIECE] = "softmax(",
                                               [M_ROW] = " + ",
                                               [N_PIECE] = ") ",
                                               [N_ROW] = " + ",
                                               [CONSTANT] = " + "};
    char *text;
    FILE *to = begin_text(&text);
    bool attends = term_of(d, PRINTED_HEAD, N_PIECE, FIRST_TERM) != NULL;
    for (int piece = attends ? M_PIECE : CONSTANT; piece < PIECES; piece++)
        if (term_of(d, PRINTED_HEAD, piece, FIRST_TERM)) {
            fprintf(to, "%s", attends ? before[piece] : "");
            print_piece(to, d, PRINTED_HEAD, piece, WITH_TOKENS);
        }
    fprintf(to, "%s", heads_alike(d) ? "" : " in the last head only");
    end_text(to, &text);
    return text;
}

const char *
only_where(const char *telling, const char *larger)
{
    if (!strcmp(telling, larger))
        return "";
    return " at " TELLING_SHAPE ", block 2 of 2, only";
}
