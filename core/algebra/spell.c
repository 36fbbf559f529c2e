/* spell.c - a derived form as a paper writes it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/spell.h"
#include "algebra/svd.h"
#include "base/words.h"
#include "heart/fail.h"

/* A width, which is d_model where a variant has no use for it. */
typedef struct Width {
    const char *name;
    double value;
} Width;
enum { WIDTHS = 8 };

static void
list_widths(const Derived *d, Width width[WIDTHS])
{
    const Attention *a = &d->attention;
    const Width all[WIDTHS] = {{"1", 1},
                               {"d_model", a->d_model},
                               {"d_model / h", a->d_model / a->heads},
                               {"d_k", a->d_k},
                               {"d_v", a->d_v},
                               {"latent", a->latent},
                               {"h d_k", a->heads * a->d_k},
                               {"h d_v", a->heads * a->d_v}};
    memcpy(width, all, sizeof all);
}

/* A factor, but for its sign, before what it is a factor of; a root that
   divides comes after. */
static void
print_factor(FILE *to, const Derived *d, double factor, bool after)
{
    Width w[WIDTHS];
    list_widths(d, w);
    for (int i = 0; i < WIDTHS; i++)
        for (int k = 0; k < WIDTHS; k++)
            if (fabs(factor * factor * w[i].value / w[k].value - 1) < 1e-12) {
                if (i && !k && after)
                    fprintf(to, " / sqrt(%s)", w[i].name);
                if (k && !after)
                    fprintf(to, "sqrt(%s%s%s) ", w[k].name, i ? " / " : "",
                            i ? w[i].name : "");
                return;
            }
    if (!after)
        fprintf(to, "%g ", fabs(factor));
}

/* The index of a part that begins at `from`; of the term of a sum. */
static const char *
index_of(const Derived *d, int from, int count, int term)
{
    int head = d->heads - 1, kv = d->attention.kv_heads;
    int group = kv > 1 ? head / (d->attention.heads / kv) : head;
    return from == head * count    ? "i"
           : from == group * count ? "g"
           : from == term * count  ? "l"
                                   : "i";
}

/* A name with an index. It takes the place of one that is there, the letter i
   or the number of the head: W_i^Q, of "W^Q", "W_i^Q" or "W_4^Q". */
static void
print_indexed(FILE *to, const char *name, const char *index, int head)
{
    char number[16];
    int length = snprintf(number, sizeof number, "_%d", head + 1);
    const char *numbered = strstr(name, number), *letter = strstr(name, "_i");
    const char *at = letter     ? letter
                     : numbered ? numbered
                                : name + strcspn(name, "^");
    const char *rest = letter ? at + 2 : numbered ? at + length : at;
    bool there = letter || numbered, any = there || *index;
    fprintf(to, "%.*s%s%s%s", (int)(at - name), name,
            !any                                               ? ""
            : !there && memchr(name, '_', (size_t)(at - name)) ? ","
                                                               : "_",
            *index  ? index
            : there ? "i"
                    : "",
            rest);
}

/* Is it written as a transpose? Rows of the identity are, of its columns. */
static bool
is_turned(const Symbol *s)
{
    return s->transposed || (!s->of && s->rows < s->cols);
}

/* If a matrix has columns of several roles, they are told apart. */
static void
print_name(FILE *to, const Derived *d, const Symbol *s, int piece, int term)
{
    int most = s->rows > s->cols ? s->rows : s->cols, last = d->heads - 1;
    int rows = s->of ? s->of->rows : most, cols = s->of ? s->of->cols : most;
    bool packed = s->of && s->cols < cols && s->col >= last * s->cols &&
                  (s->col + s->cols < cols || s->col > last * s->cols);
    char index[4] = "";
    if (s->rows < rows && s->kind != TOKENS)
        strcat(index, index_of(d, s->row, s->rows, term));
    if (s->cols < cols)
        strcat(index, index_of(d, s->col, s->cols, term));
    if (s->kind == DIAGONAL)
        fprintf(to, "diag(");
    print_indexed(to, s->of ? s->of->arguments : "I", index, last);
    fprintf(to, "%s%s",
            !packed           ? ""
            : piece == VALUES ? "[v]"
            : s->transposed   ? "[k]"
                              : "[q]",
            s->kind == DIAGONAL ? ")" : "");
}

/* Matrices that are transposed one after the other are written as the
   transpose of their product. Tokens are only written if it is asked for. */
static void
print_term(FILE *to, const Derived *d, int piece, int term, const Term *t,
           bool tokens)
{
    int first, end;
    matrices_of(t, &first, &end);
    bool any = first < end;
    if (tokens) {
        first = is_softmax(t->of) || t->of->kind == ONES;
        end = t->count;
    }
    fprintf(to, "%s", t->factor < 0 ? "-" : "");
    print_factor(to, d, t->factor, false);
    for (int i = 0; i < t->numbers; i++) {
        print_name(to, d, &t->number[i], piece, term);
        fputc(' ', to);
    }
    for (int i = first, next; i < end; i = next) {
        bool turned = is_turned(&t->of[i]);
        for (next = i + 1; turned && next < end && is_turned(&t->of[next]);)
            next++;
        bool wide = turned && (next > i + 1 || t->of[i].kind != TOKENS);
        fprintf(to, "%s%s", i > first ? " " : "", wide ? "(" : "");
        for (int k = next - 1; k >= i; k--) {
            print_name(to, d, &t->of[k], piece, term);
            fprintf(to, "%s%s",
                    k > i  ? " "
                    : wide ? ")"
                           : "",
                    k == i && turned ? "'" : "");
        }
    }
    fprintf(to, "%s", any || tokens ? "" : "I");
    print_factor(to, d, t->factor, true);
}

/* As many terms as there are heads are a sum over all, if they are the same but
   for its index, which in the term of head i is i. */
static char *
sum_spelled(const Derived *d, int piece, bool tokens)
{
    const Term *t =
        piece == PIECES ? d->constant : d->piece[d->heads - 1][piece];
    Values terms = {0};
    int same = 0, last = d->heads - 1;
    for (; t; t = t->next) {
        char *text;
        FILE *to = begin_text(&text);
        print_term(to, d, piece, terms.count, t, tokens);
        end_text(to, &text);
        same += terms.count < last &&
                (!terms.count || !strcmp(text, terms.text[0]));
        values_add(&terms, text);
    }
    bool over_all = last > 1 && same == last && terms.count > last;
    if (over_all)
        replace(&terms.text[last], format_text("sum_l %s", terms.text[0]));
    char *all;
    FILE *to = begin_text(&all);
    for (int i = over_all ? last : 0; i < terms.count; i++)
        fprintf(to, "%s%s", i > (over_all ? last : 0) ? " + " : "",
                terms.text[i]);
    fprintf(to, "%s", terms.count ? "" : "0");
    end_text(to, &all);
    values_free(&terms);
    return all;
}

char *
piece_spelled(const Derived *d, int piece)
{
    return sum_spelled(d, piece, false);
}

char *
form_spelled(const Derived *d)
{
    char *s = sum_spelled(d, SCORES, true), *v = sum_spelled(d, VALUES, true);
    char *bias = sum_spelled(d, SCORES_BIAS, true);
    char *all =
        format_text("softmax(%s%s%s%s) %s", s, *bias == '0' ? "" : " + ",
                    *bias == '0' ? "" : bias, d->positioned ? " + b" : "", v);
    free(s);
    free(v);
    free(bias);
    return all;
}

char *
variant_spelled(const Variant *v)
{
    Derived d = derive_at(v, TELLING_SHAPE, 2);
    char *blocked = joined(&d.blocked, "; ");
    char *text = *blocked ? format_text("none: %s", blocked) : form_spelled(&d);
    free(blocked);
    derived_free(&d);
    return text;
}

char *
term_spelled(const Derived *d, int piece, const Term *t)
{
    char *text;
    FILE *to = begin_text(&text);
    print_term(to, d, piece, -1, t, false);
    end_text(to, &text);
    return text;
}

char *
rank_spelled(const Derived *d, int piece)
{
    int n = d->attention.d_model;
    double *m = allocate((size_t)n * n, sizeof *m);
    Width w[WIDTHS];
    list_widths(d, w);
    symbols_value(d->piece[d->heads - 1][piece], n, n, m, false);
    int rank = spectrum_of(m, n).rank;
    free(m);
    for (int i = 1; i < WIDTHS; i++)
        if (rank == w[i].value)
            return copy_text(w[i].name);
    return format_text("%d", rank);
}

/* Is it the formula? If that goes on, it is with one more matrix; or the author
   did not go on. */
static bool
agrees(const char *typed, const char *formula)
{
    for (;; typed++, formula++) {
        typed += strspn(typed, " ");
        if (!strncmp(typed, "...", 3))
            return *formula == ' ';
        if (!*typed || *typed == ';')
            return !*formula || (*formula == ' ' && !strchr(formula + 1, ' '));
        formula += strspn(formula, " ");
        if (*typed != *formula)
            return false;
    }
}

/* Is a name that of a matrix, an index aside, or one of a formula's words? */
static bool
is_known(const Derived *d, const char *name, int length)
{
    static const char words[] = "softmax x y b sqrt d_k d_v d_model latent h";
    char plain[NAME_SIZE];
    snprintf(plain, sizeof plain, "%.*s", length, name);
    bool known = index_in(words, plain) >= 0;
    for (int i = 0; i < d->weights.count && !known; i++) {
        const char *of = d->w[i]->arguments, *index = strpbrk(plain, "_,");
        int before = index ? (int)(index - plain) : length;
        known = !strcmp(plain, of) || (!strncmp(plain, of, (size_t)before) &&
                                       strchr("^_", of[before]));
    }
    return known;
}

Reading
equation_read(const char *equation, const Derived *d)
{
    char *formula = form_spelled(d);
    bool alike = agrees(equation, formula);
    bool readable = !strncmp(equation, "softmax(", 8);
    free(formula);
    for (const char *at = equation; *at && *at != ';' && readable;) {
        int length = (int)strspn(at, NAME_LETTERS "^");
        readable = !length || is_known(d, at, length);
        at += length ? length : 1;
    }
    return alike ? AGREES : readable ? DISAGREES : FOR_PEOPLE;
}
