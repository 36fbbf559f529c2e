/* written.c - the equation of a variant, as its author wrote it, is run. */
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "algebra/written.h"
#include "base/words.h"
#include "equation/matrices.h"
#include "equation/plan.h"
#include "equation/run_equation.h"
#include "heart/fail.h"
#include "heart/tape.h"

/* "W_i^Q", of "W^Q" and "i". */
static const char *
with_index(const char *name, const char *index)
{
    int stem = (int)strcspn(name, "^");
    return format_text("%.*s_%s%s", stem, name, index, name + stem);
}

/* Does the text have this name? */
static bool
has_name(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++) {
        bool begins = at == text ||
                      !(isalnum((unsigned char)at[-1]) || strchr("_^", at[-1]));
        bool ends =
            !(isalnum((unsigned char)at[n]) || (at[n] && strchr("_^", at[n])));
        if (begins && ends)
            return true;
    }
    return false;
}

/* The only matrix that a text does not name; NULL if it is none, or one of
   several. */
static const char *
left_out(const char *text, const Weights *w)
{
    const char *only = NULL;
    int count = 0;
    for (int i = 0; i < w->count; i++) {
        const char *name = w->list[i].name;
        if (has_name(text, name) || has_name(text, with_index(name, "i")) ||
            has_name(text, with_index(name, "g")))
            continue;
        only = name;
        count++;
    }
    return count == 1 ? only : NULL;
}

/* What follows the softmax in an equation: " y W_i^V W_i^O". */
static const char *
behind_softmax(const char *equation)
{
    int open = 0;
    for (const char *at = equation; *at; at++) {
        open += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (*at == ')' && open == 0)
            return at + 1;
    }
    return "";
}

/* The text of a file for what was typed: what is defined behind a semicolon is
   a line before the output, to which the map back is added. Dots stand for the
   values, which are then what the code says. */
static char *
lines_of(const char *typed, const Derived *d)
{
    const char *dots = strstr(typed, "..."), *last = NULL;
    int size = (int)strcspn(typed, ";");
    char *text = "";
    if (dots)
        return format_text("%.*s%s\n", (int)(dots - typed), typed,
                           behind_softmax(form_spelled(d)));
    char *output = format_text("%.*s", size, typed);
    last = left_out(typed, &d->run.weights);
    for (const char *at = strchr(typed, ';'); at; at = strchr(at, ';')) {
        at += 1 + strspn(at + 1, " ");
        text = format_text("%s%.*s\n", text, (int)strcspn(at, ";"), at);
    }
    return format_text("%s%s%s%s\n", text, output, last ? " " : "",
                       last ? with_index(last, "i") : "");
}

/* The matrix of that name; W_i^K is a block of W^K. */
static const Weight *
weight_called(const Weights *w, const char *name)
{
    const Weight *block_of = NULL;
    for (int i = 0; i < w->count; i++) {
        const char *own = w->list[i].name;
        if (!strcmp(own, name))
            return &w->list[i];
        if (!strcmp(with_index(own, "i"), name) ||
            !strcmp(with_index(own, "g"), name))
            block_of = &w->list[i];
    }
    return block_of;
}

/* A number as the size that it is, "d_k". */
static Tree *
size_tree(const Attention *a, int n)
{
    for (int i = 0; i < size_count; i++)
        if (*(const int *)((const char *)a + sizes[i].offset) == n)
            return tree_name(sizes[i].name);
    return tree_number(n);
}

/* Declares the matrices of a text that have other shapes in the code than they
   usually have. */
static void
declare_shapes(EquationText *e, const Plan *usual, const Derived *d)
{
    const Attention *a = &d->run.attention;
    for (int i = 0; i < usual->weights; i++) {
        const PlanWeight *p = &usual->weight[i];
        const Weight *w = weight_called(&d->run.weights, p->stored);
        int heads = p->heads ? (int)scalar_value(p->heads, a) : 1;
        if (!w || (w->rows == stored_rows(usual, p, a) &&
                   w->cols == stored_cols(usual, p, a)))
            continue;
        Declaration new = {
            .name = p->written,
            .at = e->text,
            .rows = size_tree(a, p->stacked ? w->rows / heads : w->rows),
            .cols = size_tree(a, p->stacked ? w->cols : w->cols / heads)};
        e->declaration = grow(e->declaration, e->declarations,
                              &e->declaration_capacity, sizeof new);
        e->declaration[e->declarations++] = new;
    }
}

static jmp_buf unreadable;
static char reason[MESSAGE];

static void
keep_reason(int status, const char *message)
{
    (void)status;
    snprintf(reason, sizeof reason, "%s", message);
    longjmp(unreadable, 1);
}

/* The variant of a text; NULL, and the reason, if it cannot be read. (The
   reader ends the program with what is wrong, unless it is kept from that.) */
static const Variant *
variant_written(const char *text, const Derived *d)
{
    void (*const before)(int status, const char *message) = on_failure;
    const Variant *volatile read = NULL;
    on_failure = keep_reason;
    if (!setjmp(unreadable)) {
        const Plan *usual = plan_make(equation_read(".equation", text));
        EquationText *again = equation_read(".equation", text);
        declare_shapes(again, usual, d);
        read = variant_of_plan(plan_make(again));
    }
    on_failure = before;
    return read;
}

/* The matrices of an equation with the numbers that those of the code have;
   count -1 if it has others. */
static Weights
matrices_written(const Variant *written, const Derived *d)
{
    Weights w = weights_declared(written, &d->run.attention);
    for (int i = 0; i < w.count; i++) {
        const Weight *own = weight_called(&d->run.weights, w.list[i].name);
        if (own && own->rows == w.list[i].rows && own->cols == w.list[i].cols) {
            w.list[i].value = own->value;
            continue;
        }
        snprintf(reason, sizeof reason,
                 "%s (%d x %d) of the equation is no matrix of the code",
                 w.list[i].name, w.list[i].rows, w.list[i].cols);
        return (Weights){.count = -1};
    }
    return w;
}

Written
equation_compared(const Derived *d)
{
    const char *typed = d->run.variant->equation;
    if (!IS_FORMULA(typed))
        return (Written){FOR_PEOPLE, NULL};
    if (d->run.variant->calls != ANY_CALL)
        return (Written){NOT_COMPARED, "it is for self-attention only"};
    bool letters = equation_agrees(typed, d);
    char *text =
        letters ? format_text("%s\n", form_spelled(d)) : lines_of(typed, d);
    const Variant *written = variant_written(text, d);
    Weights w = {.count = -1};
    if (written)
        w = matrices_written(written, d);
    if (w.count < 0 && letters && !d->why)
        return (Written){AGREES, NULL};
    if (w.count < 0) /* a form could be written, and this is none */
        return (Written){d->why ? NOT_COMPARED : DISAGREES, copy_text(reason)};
    Derived other = {.run = {.variant = written,
                             .attention = d->run.attention,
                             .weights = w}};
    OutputsApart off = outputs_apart(d, &other);
    if (off.unmasked <= ROUNDING && off.causal <= ROUNDING)
        return (Written){AGREES, NULL};
    bool only_masked = off.unmasked <= ROUNDING;
    return (Written){DISAGREES,
                     format_text("outputs differ by %.2g of the largest%s",
                                 only_masked ? off.causal : off.unmasked,
                                 only_masked ? " under a causal mask" : "")};
}
