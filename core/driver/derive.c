/* derive.c - qkv derive: the canonical form, in the plugin's own matrices. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/real_parameters.h"
#include "algebra/substitute.h"
#include "config/build_model.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "run/plugin_process.h"

/* A variant at a shape, in the second of two blocks: the first is one that
   recalls what nobody remembered. */
typedef struct Derivation {
    Plugin plugin;
    Weights weights;
    Derived derived;
} Derivation;

static Derivation
derivation(const char *word, const char *shape)
{
    Derivation d = {.plugin = plugin_open(word)};
    Config c = config_start();
    config_apply(&c, shape);
    config_resolve(&c, variant_uses(d.plugin.variant));
    Attention a = attention_of(&c, d.plugin.variant->shape);
    a.layers = 2;
    a.layer = 1;
    d.weights = weights_declared(d.plugin.variant, &a);
    d.derived = derive(d.plugin.variant, a, &d.weights, NULL);
    return d;
}

static void
derivation_free(Derivation *d)
{
    derived_free(&d->derived);
    free(d->weights.list);
}

/* Writes a formula as people read it: plain, with Unicode, or LaTeX, where what
   is behind ^ and _ is in braces. */
static void
print_formula(const char *text, Layout layout)
{
    static const char *const signs[][3] = {{"sqrt(", "√(", "\\sqrt{"},
                                           {"'", "ᵀ", "^\\top"},
                                           {"<=", "≤", "\\le"},
                                           {":=", "≔", "\\mathrel{:=}"},
                                           {"sum_l", "Σ_l", "\\sum_l"}};
    bool latex = layout == LATEX, root = false;
    while (*text) {
        const char *sign = NULL;
        int length = 1, inside = (int)strspn(text + 1, NAME_LETTERS ",");
        for (int i = 0; i < 5 && !sign && layout != TSV; i++)
            if (!strncmp(text, signs[i][0], strlen(signs[i][0]))) {
                sign = signs[i][latex ? 2 : 1];
                length = (int)strlen(signs[i][0]);
                root |= i == 0;
            }
        if (sign)
            printf("%s", sign);
        else if (latex && strchr("_^", *text)) {
            inside = *text == '_' ? (int)strcspn(text + 1, " ^()'[") : inside;
            printf("%c{%.*s}", *text, inside, text + 1);
            length += inside;
        } else
            putchar(latex && root && *text == ')' ? '}' : *text);
        root &= *text != ')';
        text += length;
    }
}

/* A line: what it is, the formula, and what is said of it. */
static void
print_line(Layout layout, const char *what, char *formula, char *said)
{
    if (layout == LATEX)
        printf("  ");
    print_formula(what, layout);
    if (*formula)
        printf(layout == LATEX ? " &= " : " = ");
    print_formula(formula, layout);
    if (*said)
        printf(layout == LATEX ? " && \\text{" : ", ");
    print_formula(said, layout);
    printf(layout == LATEX ? *said ? "} \\\\\n" : " \\\\\n" : "\n");
    free(formula);
    free(said);
}

/* Prints a form; false where derivation and probe disagree. */
static bool
print_form(Derivation *of, Layout layout)
{
    Derived *d = &of->derived;
    double apart = derived_apart(d, of->plugin.variant, &of->weights);
    if (d->blocked.count) {
        for (int i = 0; i < d->blocked.count; i++)
            printf("%s has no form: %s\n", of->plugin.name, d->blocked.text[i]);
        return true;
    }
    if (!(apart <= APART)) {
        note("%s: derived and probed form differ by %.1g: believe neither",
             of->plugin.name, apart);
        return false;
    }
    print_line(layout, "M_i", piece_spelled(d, SCORES),
               format_text("rank <= %s", rank_bound(d, SCORES)));
    if (d->piece[d->heads - 1][SCORES_BIAS])
        print_line(layout, "m_i", piece_spelled(d, SCORES_BIAS),
                   copy_text("a row below M_i"));
    print_line(layout, "N_i", piece_spelled(d, VALUES),
               format_text("rank <= %s", rank_bound(d, VALUES)));
    if (d->constant)
        print_line(layout, "c", piece_spelled(d, PIECES),
                   copy_text("added to every token"));
    return true;
}

int
command_derive(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Layout layout = layout_of(&o);
    if (sizeof(real) == 4)
        return run_in_double(argc, argv);
    Derivation a = derivation(o.rest[0], TELLING_SHAPE);
    bool good = print_form(&a, layout);
    const char *other = o.rest_count > 1 ? o.rest[o.rest_count - 1] : NULL;
    if (other) {
        Derivation b = derivation(other, TELLING_SHAPE);
        double apart;
        good &= print_form(&b, layout);
        for (int k = 0; k < 2; k++) {
            Derivation *from = k ? &b : &a, *to = k ? &a : &b;
            Derivation f = derivation(k ? other : o.rest[0], TELLING_SHAPE),
                       t = derivation(k ? o.rest[0] : other, TELLING_SHAPE);
            Values lines = substitution(&f.derived, &t.derived, &apart);
            printf("%s from %s: %g\n", to->plugin.name, from->plugin.name,
                   apart);
            for (int i = 0; i < lines.count; i++)
                printf("  %s\n", lines.text[i]);
        }
    }
    Reading r = a.derived.blocked.count
                    ? FOR_PEOPLE
                    : equation_read(a.plugin.variant->equation, &a.derived);
    if (!a.derived.blocked.count) {
        printf("form %s\n", form_spelled(&a.derived));
        printf("reading %s: %s\n", a.plugin.variant->equation,
               r == AGREES      ? "agrees"
               : r == DISAGREES ? "DISAGREES"
                                : "for people");
        Derivation s = derivation(o.rest[0], "d-model=16 heads=4");
        RealCount rc =
            real_count(s.plugin.variant, s.derived.attention, &s.weights, 0);
        printf("real %d measured %d of %d\n", derived_real(&s.derived),
               rc.found.rank, rc.stored);
    }
    derivation_free(&a);
    return !good;
}
