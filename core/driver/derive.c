/* derive.c - qkv derive: the canonical form, in the plugin's own matrices. */
#include <stdio.h>
#include <string.h>

#include "algebra/real_parameters.h"
#include "algebra/substitute.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "run/plugin_process.h"

/* Prints a formula. In LaTeX it is a display, in which what follows ^ or _, or
   is in a root, is in braces. */
static void
print_formula(Layout layout, const char *line)
{
    static const char *const signs[][3] = {
        {"sqrt(", "√(", "\\sqrt{"}, {"'", "ᵀ", "^\\top"}, {"<=", "≤", "\\le"}};
    bool latex = layout == LATEX, root = false;
    printf("%s", latex ? "\\[" : "");
    for (const char *at = line; *at;) {
        int sign = 0, length = 1;
        while (sign < 3 && strncmp(at, signs[sign][0], strlen(signs[sign][0])))
            sign++;
        if (sign < 3 && layout != TSV) {
            length = (int)strlen(signs[sign][0]);
            printf("%s", signs[sign][latex ? 2 : 1]);
        } else if (latex && strchr("_^", *at)) {
            length = (int)strcspn(at + 1, " ^_[])',") + 1;
            printf("%c{%.*s}", *at, length - 1, at + 1);
        } else
            putchar(root && latex && *at == ')' ? '}' : *at);
        root = sign == 0 || (root && *at != ')');
        at += length;
    }
    printf(latex ? " \\]\n" : "\n");
}

static const char *const names[] = {"M_i", "m_i", "N_i", "n_i", "c"};

/* The rank that a piece can have, in words; 0 where there is none. That of a
   sum is at most the sum of ranks. */
static const char *
most_rank(const Derived *d, int piece, int *rank)
{
    const Term *t;
    *rank = 0;
    for (int k = 0; (t = term_of(d, 0, piece, k)); k++)
        *rank += t->width;
    const char *name = width_named(d, *rank);
    return name ? name : format_text("%d", *rank);
}

/* Prints how many parameters are real; both numbers if a mask changes it. */
static void
print_real(const Variant *v, Attention a, const char *words, const char *shape)
{
    RealCount bare = real_count(v, a);
    a.causal = 1;
    RealCount masked = real_count(v, a);
    printf("%s  %d parameters at %s, %d real", words, masked.stored, shape,
           masked.real);
    if (bare.real != masked.real)
        printf(" under a causal mask, and %d without a mask", bare.real);
    printf("\n");
}

/* Prints a variant's form, as far as there is one; false if there is none. */
static bool
print_form(const Plugin *p, Layout layout)
{
    static const char shape[] = "d-model=16 heads=4";
    const char *equation = p->variant->equation;
    const char *words = layout == LATEX ? "% " : ""; /* begin a line of words */
    Derived d = derive_at(p->variant, TELLING_SHAPE, 2);
    bool form = !d.why;
    if (form && !(derived_apart(&d, &d) <= APART))
        fail("%s: what is derived is not what is probed: believe neither, and "
             "run `qkv check`",
             p->name);
    printf("%s%s\n", words, p->name);
    for (int i = 0; i < PIECES; i++) {
        char *line;
        int rank;
        const char *most = most_rank(&d, i, &rank);
        if (!rank)
            continue;
        FILE *text = begin_text(&line);
        fprintf(text, "  %s = ", names[i]);
        print_piece(text, &d, i, false);
        if (form && layout != LATEX && (i == SCORES || i == VALUES))
            fprintf(text, ", rank <= %s", most);
        end_text(text, &line);
        print_formula(layout, line);
    }
    printf("%s  %s%s\n", words, d.why ? "no form: " : "its equation ",
           d.why                           ? d.why
           : !IS_FORMULA(equation)         ? "is for people, and not compared"
           : equation_agrees(equation, &d) ? "says the same"
                                           : "says something else");
    Canonical probed =
        canonical_form(p->variant, d.run.attention, d.run.weights, 0);
    if (form && probed.unmasked_only)
        printf("%s  this form holds only without a mask\n", words);
    print_real(p->variant, derive_at(p->variant, shape, 1).run.attention, words,
               shape);
    return form;
}

/* Prints what makes `to` compute what `from` does. */
static void
print_substitution(const Plugin *from, const Plugin *to, Layout layout)
{
    Derived a = derive_at(from->variant, TELLING_SHAPE, 2);
    Derived b = derive_at(to->variant, TELLING_SHAPE, 2);
    const char *words = layout == LATEX ? "% " : "";
    Values lines = substitution(&a, &b);
    bool named = derived_apart(&a, &b) <= APART;
    printf(named
               ? "%s%s computes what %s does, with\n"
               : "%s%s: no products of the matrices of %s can be named for its "
                 "own\n",
           words, to->name, from->name);
    for (int i = 0; i < lines.count && named; i++)
        print_formula(layout, format_text("  %s", lines.text[i]));
    for (int i = 0; i < PIECES && !named; i++) {
        int has, keeps;
        const char *all = most_rank(&a, i, &has);
        const char *most = most_rank(&b, i, &keeps);
        if (keeps && keeps < has)
            printf("%s  lost: %s has rank <= %s instead of %s\n", words,
                   names[i], most, all);
    }
}

int
command_derive(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Layout layout = layout_of(&o);
    Plugin p[2];
    int count = o.rest_count > 1 ? 2 : 1;
    bool forms = count == 2;
    if (o.rest_count == 3 && strcmp(o.rest[1], "="))
        usage("derive: \"%s\" between two variants: write =", o.rest[1]);
    if (sizeof(real) == 4)
        return run_in_double(argc, argv);
    for (int i = 0; i < count; i++) {
        p[i] = plugin_open(plugin_meant(o.rest[i ? o.rest_count - 1 : 0]));
        forms &= print_form(&p[i], layout);
    }
    for (int i = 0; i < count && forms; i++)
        print_substitution(&p[i], &p[!i], layout);
    if (count == 2 && !forms)
        printf("%sno verdict: only two forms can be compared\n",
               layout == LATEX ? "% " : "");
    return 0;
}
