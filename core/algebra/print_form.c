/* print_form.c - a derived form as a paper writes it.

   A factor is printed as a number made of the widths of the shape; a matrix
   under its name, with an index if heads use different blocks of it. Which
   block each head uses is seen from where its part of the matrix begins. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/print_form.h"
#include "base/words.h"

/* The name of a width, "d_k"; NULL if it has none. */
static const char *
width_named(const Derived *d, double width)
{
    const Attention *a = &d->run.attention;
    const struct {
        const char *name;
        int width;
    } all[] = {{"d_model", a->d_model}, {"d_model / h", a->d_model / a->heads},
               {"latent", a->latent},   {"d_k", a->d_k},
               {"d_v", a->d_v},         {"h d_k", a->heads * a->d_k}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (nearly_equal(width, all[i].width))
            return all[i].name;
    return NULL;
}

/* TELLING_SHAPE gives each multiple of a width up to this one name only. */
enum { MOST_TIMES = 4 };

const char *
number_named(const Derived *d, double number)
{
    for (int times = 1; times <= MOST_TIMES; times++) {
        double rest = number / times;
        const char *width = width_named(d, rest);
        const char *root = width_named(d, rest * rest);
        const char *count = times > 1 ? format_text("%d ", times) : "";
        if (nearly_equal(rest, 1))
            return format_text("%d", times);
        if (width)
            return format_text("%s%s", count, width);
        if (root)
            return format_text("%ssqrt(%s)", count, root);
    }
    return NULL;
}

/* Prints the absolute value of a factor after its product: nothing for 1, or a
   number by its name, multiplied or divided by; or the root of a width's ratio
   to d_k. A number that has no name holds at this shape only. */
static void
print_factor(FILE *to, const Derived *d, double factor)
{
    const Attention *a = &d->run.attention;
    double size = fabs(factor);
    const char *divisor = number_named(d, 1 / size);
    const char *number = number_named(d, size);
    const char *width = width_named(d, size * size * a->d_k);
    if (nearly_equal(size, 1))
        return;
    if (divisor) { /* "2 d_k" needs brackets, "sqrt(d_model / h)" does not */
        bool is_root = strncmp(divisor, "sqrt(", strlen("sqrt(")) == 0;
        bool brackets = strchr(divisor, ' ') && !is_root;
        fprintf(to, brackets ? " / (%s)" : " / %s", divisor);
    } else if (number)
        fprintf(to, " %s", number);
    else if (width)
        fprintf(to, " sqrt(%s / d_k)", width);
    else
        fprintf(to, " %g (at d_model = %d, h = %d, d_k = %d)", size, a->d_model,
                a->heads, a->d_k);
}

/* How the parts of two heads are told apart: by their rows or columns of one
   matrix or, if each head has a separate matrix, "W_1^Q", by the number in the
   matrix's name. */
typedef enum Axis { ALONG_ROWS, ALONG_COLUMNS, BY_NAME } Axis;

/* The rows or columns that a symbol uses of its matrix as it is stored. Of a
   diagonal matrix, which is stored as one row of gains, it uses the columns of
   the gains. */
static Span
span_of(const Symbol *s, Axis axis)
{
    const Node *node = s->node;
    const Matrix *m = &s->m;
    if (is_gains(s))
        return axis == ALONG_ROWS ? (Span){0, 1, 1}
                                  : (Span){first_gain(s), m->cols, node->cols};
    bool transposed = m->across > 1;
    int first_entry = (int)(m->at - node->value);
    int rows = transposed ? m->cols : m->rows;
    int cols = transposed ? m->rows : m->cols;
    if (axis == ALONG_ROWS)
        return (Span){first_entry / node->cols, rows, node->rows};
    return (Span){first_entry % node->cols, cols, node->cols};
}

/* Which block of a matrix each head uses. Along one axis the matrix is cut into
   `blocks` blocks of `stride` rows or columns. Head i uses the rows or columns
   from `start` on of block `of_head[i]`. */
enum { MOST_COMPARED = 64 };
typedef struct Pattern {
    int heads; /* how many heads were compared */
    int of_head[MOST_COMPARED];
    int blocks, stride, start;
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

/* Where a symbol begins along an axis: its first row or column in its matrix
   or, BY_NAME, the number in the matrix's name. */
static int
start_of_symbol(const Symbol *s, Axis axis)
{
    const char *name = s->node->arguments;
    if (axis == BY_NAME)
        return atoi(name + strcspn(name, "0123456789"));
    return span_of(s, axis).first;
}

/* Finds the pattern along an axis from the beginning of each head's part. The
   two smallest starts belong to two neighbouring blocks. If a variant calls
   attend more than once, only the heads of the last call are compared. */
static Pattern
pattern_along(const Derived *d, const Symbol *s, Axis axis)
{
    Pattern p = {.heads = d->run.attention.heads, .blocks = 1};
    int starts[MOST_COMPARED];
    if (p.heads > d->heads)
        p.heads = d->heads;
    if (p.heads > MOST_COMPARED)
        p.heads = MOST_COMPARED;
    for (int i = 0; i < p.heads; i++) {
        /* a derived form counts heads from the last one */
        const Symbol *own = symbol_of(d, p.heads - 1 - i, s);
        if (!own)
            return p;
        starts[i] = start_of_symbol(own, axis);
    }
    p.start = next_larger(starts, p.heads, -1);
    int second = next_larger(starts, p.heads, p.start);
    p.stride = second < INT_MAX ? second - p.start : 0;
    p.known = true;
    for (int i = 0; i < p.heads; i++) {
        int after = starts[i] - p.start;
        int block = p.stride > 0 ? after / p.stride : 0;
        p.known &= block * p.stride == after;
        p.of_head[i] = block;
        if (block >= p.blocks)
            p.blocks = block + 1;
    }
    return p;
}

/* Returns whether neighbouring heads share a block, with the same number of
   heads for each block. */
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

/* The index of a symbol: i, g, i+1, i mod g, or a list of each head's block; ""
   if all heads use the same block. `number` is used if there is no pattern. */
static const char *
index_text(const Pattern *p, int number)
{
    if (!p->known)
        return format_text("{%d}", number);
    if (p->blocks == 1)
        return "";
    if (shared_by_neighbours(p))
        return p->blocks == p->heads ? "i" : "g";
    if (shifted_by(p, 0))
        return "{i mod g}";
    for (int by = 1; by < p->heads; by++)
        if (p->blocks == p->heads && shifted_by(p, by))
            return format_text("{i+%d}", by);
    char *text = "";
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
        const Symbol *o = &c->symbol[i];
        if (o->node == s->node && o->role == s->role && o->m.at != s->m.at)
            return true;
    }
    return false;
}

/* Returns whether a head uses several parts of the matrix of s in the same
   role. If it does, the role does not identify a part. */
static bool
role_is_ambiguous(const Derived *d, const Symbol *s)
{
    for (const Term *t = d->term; t && t < d->term + d->count; t++)
        if (t->head == 0 && (has_other_part(&t->chain[Q_SIDE], s) ||
                             has_other_part(&t->chain[K_SIDE], s)))
            return true;
    return false;
}

/* The number of a row or column within its block, by a width if it has one:
   "d_k", "d_k/2" or "3". */
static const char *
position_named(const Derived *d, int position)
{
    if (position == 0)
        return "0";
    const char *whole = width_named(d, position);
    const char *half = width_named(d, 2 * position);
    if (whole)
        return whole;
    return half ? format_text("%s/2", half) : format_text("%d", position);
}

/* What is written at the name of a matrix: the index of the block that a head
   uses, "i", and if that is only a part of the block, its role, ".q", or its
   range, "[0:d_k/2]". Each may be "". */
typedef struct Marks {
    const char *index, *part;
} Marks;

/* Notes the marks that a symbol needs along an axis, if it does not use all of
   its matrix there. Blocks of the identity, which tokens count as, only have an
   index. If there is no form, no range is written: a block behind an operator
   is not known for certain. */
static void
mark_axis(Marks *marks, const Derived *d, const Symbol *s, Axis axis)
{
    Span span = span_of(s, axis);
    if (span.count == span.all)
        return;
    Pattern p = pattern_along(d, s, axis);
    const char *index = index_text(&p, span.first / span.count + 1);
    if (*index)
        marks->index = index;
    bool tokens = is_tokens(d, s->node);
    int block = p.blocks > 1 ? p.stride : span.all;
    bool whole_block = span.count == block && p.blocks * block == span.all;
    if (whole_block || (tokens && p.blocks > 1))
        return;
    int start = p.known ? p.start : span.first % span.count;
    if (p.known && !tokens && !role_is_ambiguous(d, s))
        marks->part = format_text(".%c", s->role);
    else if (!d->why)
        marks->part = format_text("[%s:%s]", position_named(d, start),
                                  position_named(d, start + span.count));
}

/* The marks that tell which part of its matrix a symbol is. All heads share the
   matrices of the constant, which have none. */
static Marks
marks_of(const Derived *d, const Symbol *s)
{
    Marks marks = {"", ""};
    const Symbol *in_next_head = symbol_of(d, 1, s);
    if (in_next_head && in_next_head->node != s->node) {
        Pattern p = pattern_along(d, s, BY_NAME);
        marks.index = index_text(&p, 1);
    } else if (s->piece != CONSTANT) {
        if (!is_tokens(d, s->node))
            mark_axis(&marks, d, s, ALONG_ROWS);
        mark_axis(&marks, d, s, ALONG_COLUMNS);
    }
    return marks;
}

const char *
name_in_equation(const char *equation, const char *name)
{
    static const char *const indices[] = {"", "_i", "_g"};
    int letter = (int)strcspn(name, "^"); /* the W of W^Q */
    for (int k = 0; k < 3; k++) {
        const char *index = indices[k];
        const char *indexed =
            format_text("%.*s%s%s", letter, name, index, name + letter);
        const char *found = strstr(equation, indexed);
        if (found && !isalnum((unsigned char)found[strlen(indexed)]))
            return indexed;
    }
    return NULL;
}

/* Prints a symbol: "W_i^Q" for a matrix called W^Q or W_i^Q, its index and
   range, ' if it is transposed, diag() for gains, and [name] for an operator.
 */
static void
print_symbol(FILE *to, const Derived *d, const Symbol *s)
{
    const Node *node = s->node;
    if (node->op) {
        fprintf(to, "[%s]", node->op->name);
        return;
    }
    const char *name = is_tokens(d, node) ? "I" : node->arguments;
    Marks marks = marks_of(d, s);
    fprintf(to, "%s", is_gains(s) ? "diag(" : "");
    if (*marks.index)
        fprintf(to, "%.*s_%s%s", (int)strcspn(name, "_^"), name, marks.index,
                name + strcspn(name, "^"));
    else
        fprintf(to, "%s", name);
    fprintf(to, "%s%s%s", marks.part, is_gains(s) ? ")" : "",
            s->m.across > 1 ? "'" : "");
}

/* Prints the tokens, unless they are NULL, and the symbols of a chain, with a
   blank between two. */
static void
print_chain(FILE *to, const Derived *d, const Chain *c, const char *tokens)
{
    if (tokens)
        fprintf(to, "%s", tokens);
    for (int i = 0; i < c->count; i++) {
        fprintf(to, "%s", tokens || i > 0 ? " " : "");
        print_symbol(to, d, &c->symbol[i]);
    }
}

/* Keys are printed transposed: Q (K)', or Q y' if they are only tokens. A term
   without tokens and symbols is I. */
void
print_term(FILE *to, const Derived *d, const Term *t, bool with_tokens)
{
    const Chain *q = &t->chain[Q_SIDE], *k = &t->chain[K_SIDE];
    const char *q_tokens = with_tokens ? q->tokens : NULL;
    const char *k_tokens = with_tokens ? k->tokens : NULL;
    bool has_q = q_tokens || q->count, has_k = k_tokens || k->count;
    fprintf(to, "%s", t->factor < 0 ? "-" : "");
    print_chain(to, d, q, q_tokens);
    fprintf(to, "%s", has_q && has_k ? " " : "");
    fprintf(to, "%s", k->count ? "(" : "");
    print_chain(to, d, k, k_tokens);
    fprintf(to, "%s%s", k->count ? ")" : "", has_k ? "'" : "");
    fprintf(to, "%s", has_q || has_k ? "" : "I");
    print_factor(to, d, t->factor);
}

/* Prints the first term of a piece and, if there are several, the last one:
   "A B' + ... + C D'". */
void
print_piece(FILE *to, const Derived *d, int head, int piece, bool with_tokens)
{
    const Term *t = term_of(d, head, piece, 0);
    int last = 0;
    if (!t)
        return;
    print_term(to, d, t, with_tokens);
    while (term_of(d, head, piece, last + 1))
        last++;
    if (last == 0)
        return;
    Term added = *term_of(d, head, piece, last);
    const char *sign = added.factor < 0 ? " - " : " + ";
    added.factor = fabs(added.factor);
    fprintf(to, "%s%s", last > 1 ? " + ..." : "", sign);
    print_term(to, d, &added, with_tokens);
}

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
    bool attends = term_of(d, 0, N_PIECE, 0) != NULL;
    for (int piece = attends ? M_PIECE : CONSTANT; piece < PIECES; piece++) {
        if (!term_of(d, 0, piece, 0))
            continue;
        fprintf(to, "%s", attends ? before[piece] : "");
        print_piece(to, d, 0, piece, true);
    }
    end_text(to, &text);
    return text;
}
