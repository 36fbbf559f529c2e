/* spell.c - a derived form as a paper writes it. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/spell.h"
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

/* Prints a factor, its sign aside, behind what it is a factor of: 1, the root
   of a width or of its ratio to d_k, or a number. */
static void
print_factor(FILE *to, const Derived *d, double factor)
{
    double square = factor * factor;
    const char *over = width_named(d, 1 / square);
    const char *times = width_named(d, square);
    const char *ratio = width_named(d, square * d->run.attention.d_k);
    if (fabs(square - 1) < 1e-12)
        return;
    if (over)
        fprintf(to, " / sqrt(%s)", over);
    else if (times)
        fprintf(to, " sqrt(%s)", times);
    else if (ratio)
        fprintf(to, " sqrt(%s / d_k)", ratio);
    else
        fprintf(to, " %g", fabs(factor));
}

/* The part of a matrix that a symbol is, along its rows (0) or columns (1). */
typedef struct Span {
    int first, count, all;
} Span;

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

/* How the parts that the heads take of a matrix follow each other: head i takes
   part of[i], which begins `start` behind the start of block of[i], `stride`
   wide. */
enum { MOST_PARTS = 64 };
typedef struct Parts {
    int heads, of[MOST_PARTS];
    int blocks, stride, start;
    bool known;
} Parts;

/* The smallest of n numbers that is larger than `than`; INT_MAX if none is. */
static int
next_larger(const int *of, int n, int than)
{
    int next = INT_MAX;
    for (int i = 0; i < n; i++)
        if (of[i] > than && of[i] < next)
            next = of[i];
    return next;
}

/* How many heads one call of attend has: of those of several calls only the
   last are looked at. */
static int
heads_of_call(const Derived *d)
{
    int heads = d->run.attention.heads;
    heads = d->heads < heads ? d->heads : heads;
    return heads < MOST_PARTS ? heads : MOST_PARTS;
}

/* Of heads that have a matrix each, "W_1^Q", "W_2^Q": which of them. */
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

/* Is part of[i] for each head i the block (i + by) % blocks, or for `shared`
   that of its group of neighbours? */
static bool
follows(const Parts *p, int by, bool shared)
{
    bool all = true;
    for (int i = 0; i < p->heads; i++)
        all &= p->of[i] ==
               (shared ? i * p->blocks / p->heads : (i + by) % p->blocks);
    return all;
}

/* The index of a symbol: i, g, i+1, i mod g, or the block of each head in turn;
   "" if all heads take the same. */
static const char *
index_text(const Parts *p, int own)
{
    if (!p->known)
        return format_text("{%d}", own);
    if (p->blocks == 1)
        return "";
    if (follows(p, 0, true))
        return p->blocks == p->heads ? "i" : "g";
    if (follows(p, 0, false))
        return "{i mod g}";
    for (int by = 1; by < p->heads; by++)
        if (p->blocks == p->heads && follows(p, by, false))
            return format_text("{i+%d}", by);
    char *text = "";
    for (int i = 0; i < p->heads; i++)
        text = format_text("%s%s%d", text, i ? "," : "", p->of[i] + 1);
    return format_text("{%s}", text);
}

/* Does some other part of the same matrix have the same role in the same head?
   Then the role does not tell which part is meant. */
static bool
role_is_ambiguous(const Derived *d, const Symbol *s)
{
    bool other = false;
    for (const Term *t = d->term; t && t < d->term + d->count; t++)
        for (int i = 0; i < 2 * MOST_SYMBOLS && t->head == 0; i++) {
            const Symbol *o = &t->chain[i % 2].of[i / 2];
            other |= i / 2 < t->chain[i % 2].count && o->of == s->of &&
                     o->role == s->role && o->m.at != s->m.at;
        }
    return other;
}

/* A place in a block of columns: "d_k", "d_k/2", or a number. */
static const char *
place_named(const Derived *d, int place)
{
    const char *whole = place ? width_named(d, place) : NULL;
    const char *half = place ? width_named(d, 2 * place) : NULL;
    return whole  ? whole
           : half ? format_text("%s/2", half)
                  : format_text("%d", place);
}

/* Prints W_i^Q, of "W^Q" or "W_i^Q", with the columns of its block if it is
   only a part of that: the role of that part, or where it begins and ends. */
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
    bool turned = s->m.across > 1;
    const char *name = tokens ? "I" : of->arguments, *index = "", *part = "";
    const char *stem = name + strcspn(name, "^");
    const Symbol *next = symbol_of(d, 1, s);
    bool separate = next && next->of != of;
    if (separate) {
        Parts p = parts_by_name(d, s);
        index = index_text(&p, 1);
    }
    for (int axis = tokens; axis < 2 && s->piece != CONSTANT && !separate;
         axis++) {
        Span span = span_of(s, axis);
        Parts p = parts_of(d, s, axis);
        const char *found = index_text(&p, span.first / span.count + 1);
        if (span.count == span.all)
            continue;
        index = *found ? found : index;
        int block = p.blocks > 1 ? p.stride : span.all;
        int own = p.known ? p.start : span.first % span.count;
        bool tiles = span.count == block && p.blocks * block == span.all;
        if (tiles || (tokens && p.blocks > 1))
            continue;
        bool by_role = p.known && !tokens && !role_is_ambiguous(d, s);
        if (by_role)
            part = format_text(".%c", s->role);
        else if (!d->why)
            part = format_text("[%s:%s]", place_named(d, own),
                               place_named(d, own + span.count));
    }
    fprintf(to, "%s", gains ? "diag(" : "");
    if (*index)
        fprintf(to, "%.*s_%s%s", (int)strcspn(name, "_^"), name, index, stem);
    else
        fprintf(to, "%s", name);
    fprintf(to, "%s%s%s", part, gains ? ")" : "", turned ? "'" : "");
}

/* Keys are written as the transpose of what they are. */
void
print_term(FILE *to, const Derived *d, const Term *t, bool tokens)
{
    const char *before = "";
    fprintf(to, "%s", t->factor < 0 ? "-" : "");
    for (int side = 0; side < 2; side++) {
        const Chain *c = &t->chain[side];
        bool inside = side && c->count, begun = tokens && c->tokens;
        if (inside) {
            fprintf(to, "%s(", before);
            before = "";
        }
        for (int i = begun ? -1 : 0; i < c->count; i++, before = " ") {
            fprintf(to, "%s%s", before, i < 0 ? c->tokens : "");
            if (i >= 0)
                print_symbol(to, d, &c->of[i]);
        }
        fprintf(to, "%s%s", inside ? ")" : "",
                side && (inside || begun) ? "'" : "");
    }
    fprintf(to, "%s", *before ? "" : "I");
    print_factor(to, d, t->factor);
}

void
print_piece(FILE *to, const Derived *d, int head, int piece, bool tokens)
{
    const Term *t;
    for (int k = 0; (t = term_of(d, head, piece, k)); k++) {
        bool last = !term_of(d, head, piece, k + 1);
        if (k && (last || k == 1))
            fprintf(to, last ? " + " : " + ...");
        if (k == 0 || last)
            print_term(to, d, t, tokens);
    }
}

char *
form_spelled(const Derived *d)
{
    static const char *const before[] = {"softmax(", " + ", ") ", " + ", " + "};
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
