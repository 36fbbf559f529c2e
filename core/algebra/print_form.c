/* print_form.c - a derived form as a paper writes it. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/print_form.h"
#include "base/words.h"

const char *
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
        if (fabs(width / all[i].width - 1) < 1e-12)
            return all[i].name;
    return NULL;
}

/* A number made of a width, as a paper writes it: "2", "d_k", "sqrt(d_k)" or
   "2 sqrt(d_k)"; NULL if it is none of these. The widths of TELLING_SHAPE are
   such that each of these numbers has one name only. */
static const char *
number_named(const Derived *d, double number)
{
    for (int times = 1; times <= 4; times++) {
        double rest = number / times;
        const char *width = width_named(d, rest);
        const char *root = width_named(d, rest * rest);
        const char *count = times > 1 ? format_text("%d ", times) : "";
        if (fabs(rest - 1) < 1e-12)
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
    const char *ratio = width_named(d, size * size * a->d_k);
    if (fabs(size - 1) < 1e-12)
        return;
    bool product =
        divisor && strchr(divisor, ' ') && strncmp(divisor, "sqrt", 4) != 0;
    if (product)
        fprintf(to, " / (%s)", divisor);
    else if (divisor)
        fprintf(to, " / %s", divisor);
    else if (number)
        fprintf(to, " %s", number);
    else if (ratio)
        fprintf(to, " sqrt(%s / d_k)", ratio);
    else
        fprintf(to, " %g (at d_model = %d, h = %d, d_k = %d)", size, a->d_model,
                a->heads, a->d_k);
}

/* The rows (axis 0) or columns (axis 1) of its matrix that a symbol uses:
   `count` of `all`, from `first` on. */
typedef struct Span {
    int first, count, all;
} Span;

/* The rows (axis 0) or columns (axis 1) that a symbol uses of its matrix. */
static Span
span_of(const Symbol *s, int axis)
{
    const Node *of = s->of;
    const Matrix *m = &s->m;
    bool turned = m->across > 1;
    if (of->rows == 1 && m->rows > 1 && m->cols > 1) { /* gains */
        int first = (int)(m->at - of->kept) / (of->cols + 1);
        return axis ? (Span){first, m->cols, of->cols} : (Span){0, 1, 1};
    }
    int at = (int)(m->at - of->value);
    if (axis)
        return (Span){at % of->cols, turned ? m->rows : m->cols, of->cols};
    return (Span){at / of->cols, turned ? m->cols : m->rows, of->rows};
}

/* Which part of a matrix each head uses. The matrix has blocks `stride` wide;
   head i uses block of[i], from `start` columns after the block's begin. */
enum { MOST_PARTS = 64 };
typedef struct Parts {
    int heads, of[MOST_PARTS];
    int blocks, stride, start;
    bool known; /* false if the parts follow no such pattern */
} Parts;

/* The smallest one of the n numbers that is greater than `than`; INT_MAX if
   there is none. */
static int
next_larger(const int *of, int n, int than)
{
    int next = INT_MAX;
    for (int i = 0; i < n; i++)
        if (of[i] > than && of[i] < next)
            next = of[i];
    return next;
}

/* How many heads are compared: as many as the last call of attend has. */
static int
heads_of_call(const Derived *d)
{
    int heads = d->run.attention.heads;
    heads = d->heads < heads ? d->heads : heads;
    return heads < MOST_PARTS ? heads : MOST_PARTS;
}

/* The parts, if each head has its own matrix, "W_1^Q", "W_2^Q". */
static Parts
parts_by_name(const Derived *d, const Symbol *s)
{
    Parts p = {.heads = heads_of_call(d), .known = true};
    for (int i = 0; i < p.heads; i++) {
        const Symbol *there = symbol_of(d, p.heads - 1 - i, s);
        const char *name = there ? there->of->arguments : "";
        p.of[i] = atoi(name + strcspn(name, "0123456789")) - 1;
        p.known &= p.of[i] >= 0;
        p.blocks = p.of[i] >= p.blocks ? p.of[i] + 1 : p.blocks;
    }
    return p;
}

/* The parts of one matrix along an axis, found from where each head's part
   begins. */
static Parts
parts_of(const Derived *d, const Symbol *s, int axis)
{
    Parts p = {.heads = heads_of_call(d), .blocks = 1};
    int first[MOST_PARTS];
    for (int i = 0; i < p.heads; i++) { /* heads count from the last one */
        const Symbol *there = symbol_of(d, p.heads - 1 - i, s);
        if (!there)
            return p;
        first[i] = span_of(there, axis).first;
    }
    if (p.heads < 1)
        return p;
    p.start = next_larger(first, p.heads, -1);
    int second = next_larger(first, p.heads, p.start);
    p.stride = second < INT_MAX ? second - p.start : 0;
    p.known = true;
    for (int i = 0; i < p.heads; i++) {
        int off = first[i] - p.start;
        p.known &= off == 0 || off % p.stride == 0;
        p.of[i] = off ? off / p.stride : 0;
        p.blocks = p.of[i] >= p.blocks ? p.of[i] + 1 : p.blocks;
    }
    return p;
}

/* Do neighbouring heads share a block, as many heads for each block? */
static bool
shared_by_neighbours(const Parts *p)
{
    for (int i = 0; i < p->heads; i++)
        if (p->of[i] != i * p->blocks / p->heads)
            return false;
    return true;
}

/* Does each head i use block (i + by) % blocks? */
static bool
shifted_by(const Parts *p, int by)
{
    for (int i = 0; i < p->heads; i++)
        if (p->of[i] != (i + by) % p->blocks)
            return false;
    return true;
}

/* The index of a symbol: i, g, i+1, i mod g, or a list of each head's block; ""
   if all heads use the same part. `own` is used if the pattern is not known. */
static const char *
index_text(const Parts *p, int own)
{
    if (!p->known)
        return format_text("{%d}", own);
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
        text = format_text("%s%s%d", text, i ? "," : "", p->of[i] + 1);
    return format_text("{%s}", text);
}

/* Does some other part of the same matrix have the same role in a head? Then
   the role does not tell which part is meant. */
static bool
role_is_ambiguous(const Derived *d, const Symbol *s)
{
    for (const Term *t = d->term; t && t < d->term + d->count; t++) {
        if (t->head != 0)
            continue;
        for (const Chain *c = t->chain; c < t->chain + 2; c++)
            for (const Symbol *o = c->of; o < c->of + c->count; o++)
                if (o->of == s->of && o->role == s->role && o->m.at != s->m.at)
                    return true;
    }
    return false;
}

/* A place in a block of columns: "d_k", "d_k/2", or a number. */
static const char *
place_named(const Derived *d, int place)
{
    const char *whole = place ? width_named(d, place) : NULL;
    const char *half = place ? width_named(d, 2 * place) : NULL;
    if (whole)
        return whole;
    return half ? format_text("%s/2", half) : format_text("%d", place);
}

/* How a symbol is marked: the index of its block, and the part of that block,
   if it is not the whole: its role, or where it begins and ends. */
typedef struct Marks {
    const char *index, *part;
} Marks;

/* Notes the marks that a symbol needs along an axis, if it does not use all of
   its matrix there. */
static void
mark_axis(Marks *marks, const Derived *d, const Symbol *s, int axis,
          bool tokens)
{
    Span span = span_of(s, axis);
    Parts p = parts_of(d, s, axis);
    const char *index = index_text(&p, span.first / span.count + 1);
    if (span.count == span.all)
        return;
    if (*index)
        marks->index = index;
    int block = p.blocks > 1 ? p.stride : span.all;
    int start = p.known ? p.start : span.first % span.count;
    bool tiles = span.count == block && p.blocks * block == span.all;
    if (tiles || (tokens && p.blocks > 1))
        return;
    if (p.known && !tokens && !role_is_ambiguous(d, s))
        marks->part = format_text(".%c", s->role);
    else if (!d->why)
        marks->part = format_text("[%s:%s]", place_named(d, start),
                                  place_named(d, start + span.count));
}

/* The index and the range that a symbol needs in a formula to tell a head's
   block from the whole matrix. */
static Marks
marks_of(const Derived *d, const Symbol *s, bool tokens)
{
    Marks marks = {"", ""};
    const Symbol *next = symbol_of(d, 1, s);
    if (next && next->of != s->of) { /* each head has its own matrix */
        Parts p = parts_by_name(d, s);
        marks.index = index_text(&p, 1);
    } else if (s->piece != CONSTANT) {
        if (!tokens)
            mark_axis(&marks, d, s, 0, tokens);
        mark_axis(&marks, d, s, 1, tokens);
    }
    return marks;
}

/* Prints a symbol: "W_i^Q" for a matrix called W^Q or W_i^Q, its index and
   range, ' if it is transposed, diag() for gains, and [name] for another
   operator. */
static void
print_symbol(FILE *to, const Derived *d, const Symbol *s)
{
    const Node *of = s->of;
    if (of->op) {
        fprintf(to, "[%s]", of->op->name);
        return;
    }
    bool tokens = of == d->run.x || of == d->run.y;
    bool gains = of->rows == 1 && s->m.rows > 1 && s->m.cols > 1;
    const char *name = tokens ? "I" : of->arguments;
    Marks marks = marks_of(d, s, tokens);
    fprintf(to, "%s", gains ? "diag(" : "");
    if (*marks.index)
        fprintf(to, "%.*s_%s%s", (int)strcspn(name, "_^"), name, marks.index,
                name + strcspn(name, "^"));
    else
        fprintf(to, "%s", name);
    fprintf(to, "%s%s%s", marks.part, gains ? ")" : "",
            s->m.across > 1 ? "'" : "");
}

/* Prints the tokens, unless they are NULL, and the symbols of a chain, with
   blanks between. */
static void
print_chain(FILE *to, const Derived *d, const Chain *c, const char *tokens)
{
    if (tokens)
        fprintf(to, "%s", tokens);
    for (int i = 0; i < c->count; i++) {
        fprintf(to, "%s", tokens || i > 0 ? " " : "");
        print_symbol(to, d, &c->of[i]);
    }
}

/* Keys are printed transposed: Q (K)', or Q y' if they are only tokens. */
void
print_term(FILE *to, const Derived *d, const Term *t, bool with_tokens)
{
    const Chain *q = &t->chain[0], *k = &t->chain[1];
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
    fprintf(to, "%s + ", last > 1 ? " + ..." : "");
    print_term(to, d, term_of(d, head, piece, last), with_tokens);
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
    int first = term_of(d, 0, N_PIECE, 0) ? M_PIECE : CONSTANT;
    for (int piece = first; piece < PIECES; piece++)
        if (term_of(d, 0, piece, 0)) {
            fprintf(to, "%s", piece > first || !first ? before[piece] : "");
            print_piece(to, d, 0, piece, true);
        }
    end_text(to, &text);
    return text;
}
