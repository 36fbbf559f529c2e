/* spell.c - a derived form as a paper writes it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/spell.h"
#include "base/words.h"

/* The name of a width, or NULL. */
static const char *
width_named(const Derived *d, double width)
{
    const Attention *a = &d->attention;
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
    const char *ratio = width_named(d, square * d->attention.d_k);
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

/* The index of a part that begins at `from`: that of the last head, or of its
   group of keys; of another head, its number. */
static const char *
index_of(const Derived *d, int from, int count)
{
    static char number[16];
    int head = d->heads - 1, kv = d->attention.kv_heads;
    snprintf(number, sizeof number, "%d", from / count + 1);
    return from == head * count                               ? "i"
           : kv > 1 && from == head / (d->heads / kv) * count ? "g"
                                                              : number;
}

/* W_i^Q, of "W^Q" or "W_i^Q"; a matrix whose columns have several roles has the
   role behind it. What is opaque is in brackets. */
static void
print_symbol(FILE *to, const Derived *d, const Symbol *s)
{
    const Node *of = s->of;
    bool turned = s->m.across != 1;
    const char *name = of->arguments, *index = "";
    int rows = turned ? s->m.cols : s->m.rows;
    int cols = turned ? s->m.rows : s->m.cols;
    int at = (int)(s->m.at - (of->value ? of->value : of->kept));
    bool packed = cols * d->attention.heads < of->cols;
    if (s->kind == OPAQUE) {
        fprintf(to, "[%s]", of->op->name);
        return;
    }
    if (s->kind == TOKENS)
        fprintf(to, "%s%s", name, cols < of->cols ? " " : "");
    if (s->kind == TOKENS && cols == of->cols)
        return;
    if (!of->value)
        name = "I";
    if (cols < of->cols)
        index = packed ? "i" : index_of(d, at % of->cols, cols);
    else if (of->value && rows < of->rows)
        index = index_of(d, at / of->cols, rows);
    int bare = (int)strcspn(name, "_^"), stem = (int)strcspn(name, "^");
    bool own = name[bare] == '_';
    if (own && atoi(name + bare + 1) == d->attention.heads)
        index = "i"; /* W_4^Q: each head has its own */
    else if (own)
        bare = stem, index = "";
    fprintf(to, "%s%.*s%s%s%s", s->kind == DIAGONAL ? "diag(" : "", bare, name,
            *index ? "_" : "", index, name + stem);
    if (packed)
        fprintf(to, ".%c", s->role);
    fprintf(to, "%s%s", s->kind == DIAGONAL ? ")" : "", turned ? "'" : "");
}

/* Keys are written as the transpose of what they are. */
static void
print_term(FILE *to, const Derived *d, const Term *t)
{
    bool keys = t->keys >= 0 && t->keys < t->count;
    bool wide =
        keys && (t->keys < t->count - 1 || t->of[t->keys].kind != TOKENS);
    fprintf(to, "%s", t->factor < 0 ? "-" : "");
    for (int i = 0; i < t->count; i++) {
        fprintf(to, "%s%s", i ? " " : "", wide && i == t->keys ? "(" : "");
        print_symbol(to, d, &t->of[i]);
    }
    fprintf(to, "%s%s%s", t->count ? "" : "I", wide ? ")" : "",
            keys ? "'" : "");
    print_factor(to, d, t->factor);
}

char *
terms_spelled(const Derived *d, const Terms *sum, bool tokens)
{
    char *text;
    FILE *to = begin_text(&text);
    for (int i = 0; i < sum->count; i++)
        if (i == 0 || i == sum->count - 1) {
            Term t = sum->term[i], only = matrices_of(&t);
            fprintf(to, "%s", i ? " + " : "");
            print_term(to, d, tokens ? &t : &only);
        } else if (i == 1)
            fprintf(to, " + ...");
    end_text(to, &text);
    return text;
}

char *
form_spelled(const Derived *d)
{
    char *part[PIECES], *all;
    FILE *to = begin_text(&all);
    for (int i = 0; i < PIECES; i++) {
        int head = i == CONSTANT || !d->heads ? 0 : d->heads - 1;
        part[i] = terms_spelled(d, &d->piece[head][i], true);
    }
    if (*part[VALUES])
        fprintf(to, "softmax(%s%s%s) %s", part[SCORES],
                *part[SCORES_BIAS] ? " + " : "", part[SCORES_BIAS],
                part[VALUES]);
    fprintf(to, "%s%s", *part[VALUES] && *part[CONSTANT] ? " + " : "",
            part[CONSTANT]);
    end_text(to, &all);
    for (int i = 0; i < PIECES; i++)
        free(part[i]);
    return all;
}

const char *
narrowest_width(const Derived *d, const Term *t)
{
    int least = d->attention.d_model;
    for (int i = 0; i < t->count; i++)
        if (t->of[i].m.cols < least)
            least = t->of[i].m.cols;
    return width_named(d, least);
}

bool
equation_agrees(const char *typed, const Derived *d)
{
    char *text = form_spelled(d), *formula = text;
    bool same = true, ends = false;
    for (; same && !ends; typed++) {
        typed += strspn(typed, " ");
        ends = !*typed || *typed == ';' || !strncmp(typed, "...", 3);
        if (ends)
            same = !*formula || *typed == '.' ||
                   (*formula == ' ' && !strchr(formula + 1, ' '));
        else {
            formula += strspn(formula, " ");
            same = *typed == *formula++;
        }
    }
    free(text);
    return same;
}
