/* spell.c - a derived form as a paper writes it. */
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

/* Is the matrix in a term of that head? */
static bool
has_matrix(const Derived *d, int head, const real *at)
{
    bool found = false;
    for (const Term *t = d->term; t && t < d->term + d->count; t++)
        for (int i = 0; i < 2 * MOST_SYMBOLS && t->head == head; i++)
            found |= t->chain[i % 2].of[i / 2].m.at == at;
    return found;
}

/* Prints W_i^Q, of "W^Q" or "W_i^Q"; a matrix whose columns have several roles
   has the role behind it. The index of a matrix is g if the head before the
   last has the same one; there is none if the first head has it, too. */
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
    char index = has_matrix(d, d->term[d->count - 1].head, s->m.at) ? 0
                 : has_matrix(d, 1, s->m.at)                        ? 'g'
                                                                    : 'i';
    int cols = turned ? s->m.rows : s->m.cols;
    const char *name = tokens ? "I" : of->arguments;
    const char *stem = name + strcspn(name, "^");
    fprintf(to, "%s", gains ? "diag(" : "");
    if (index)
        fprintf(to, "%.*s_%c%s", (int)strcspn(name, "_^"), name, index, stem);
    else
        fprintf(to, "%s", name);
    if (cols * d->run.attention.heads < of->cols)
        fprintf(to, ".%c", s->role);
    fprintf(to, "%s%s", gains ? ")" : "", turned ? "'" : "");
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
print_piece(FILE *to, const Derived *d, int piece, bool tokens)
{
    const Term *t;
    for (int k = 0; (t = term_of(d, 0, piece, k)); k++) {
        bool last = !term_of(d, 0, piece, k + 1);
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
    int first = term_of(d, 0, VALUES, 0) ? SCORES : CONSTANT;
    for (int piece = first; piece < PIECES; piece++)
        if (term_of(d, 0, piece, 0)) {
            fprintf(to, "%s", piece > first || !first ? before[piece] : "");
            print_piece(to, d, piece, true);
        }
    end_text(to, &text);
    return text;
}

bool
equation_agrees(const char *typed, const Derived *d)
{
    char *form = form_spelled(d);
    const char *dots = strstr(typed, "...");
    size_t size = dots ? (size_t)(dots - typed) : strcspn(typed, ";");
    while (size && typed[size - 1] == ' ')
        size--;
    bool same = !strncmp(typed, form, size);
    const char *rest = same ? form + size : "";
    same &= dots || !*rest || (*rest == ' ' && !strchr(rest + 1, ' '));
    free(form);
    return same;
}
