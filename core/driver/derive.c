/* derive.c - qkv derive: the canonical form, in the plugin's own matrices. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/real_parameters.h"
#include "algebra/substitute.h"
#include "config/build_model.h"
#include "driver/commands.h"
#include "driver/derive.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "run/compile.h"
#include "run/plugin_process.h"

/* A shape whose widths are all different, so that each has its own name. */
static const char telling[] =
    "d-model=24 heads=4 kv-heads=2 d-k=5 d-v=7 latent=10";

/* A variant at a shape. If there are two blocks, it is in the second, since
   only there it can recall what an earlier one remembered. */
typedef struct Derivation {
    Plugin plugin;
    Weights weights;
    Derived derived;
} Derivation;

static Derivation
derivation(const char *word, const char *shape, int layers)
{
    Derivation d = {.plugin = plugin_open(word)};
    Config c = config_start();
    config_apply(&c, shape);
    config_resolve(&c, variant_uses(d.plugin.variant));
    Attention a = attention_of(&c, d.plugin.variant->shape);
    a.layers = layers;
    a.layer = layers - 1;
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

/* Prints a line as a terminal or LaTeX has its formulas, where what is behind ^
   and _ is in braces, and text before them a comment; frees it. */
static void
print_formula(char *line, Layout layout)
{
    static const char *const signs[][3] = {
        {"sqrt(", "√(", "\\sqrt{"}, {"'", "ᵀ", "^\\top"},
        {"<=", "≤", "\\le"},        {"sum_l", "Σ_l", "\\sum_l"},
        {" := ", " := ", " &:= "},  {" = ", " = ", " &= "}};
    enum { SIGNS = sizeof signs / sizeof *signs };
    bool latex = layout == LATEX, root = false;
    for (const char *at = line; *at;) {
        int sign = 0, length = 1;
        while (sign < SIGNS &&
               strncmp(at, signs[sign][0], strlen(signs[sign][0])))
            sign++;
        if (sign < SIGNS && layout != TSV) {
            length = (int)strlen(signs[sign][0]);
            printf("%s", signs[sign][latex ? 2 : 1]);
        } else if (latex && strchr("_^", *at)) {
            length = (int)strcspn(at + 1, " ^_[])'") + 1;
            printf("%c{%.*s}", *at, length - 1, at + 1);
        } else
            putchar(root && latex && *at == ')' ? '}' : *at);
        root = sign == 0 || (root && *at != ')');
        at += length;
    }
    printf(latex ? " \\\\\n" : "\n");
    free(line);
}

/* Prints what is no formula, in LaTeX as a comment; frees it. */
static void
print_words(char *line, Layout layout)
{
    printf("%s%s\n", layout == LATEX ? "% " : "", line);
    free(line);
}

/* A piece, if there is one, and what is to be said of it: its rank, or that. */
static void
print_piece(const Derived *d, const char *name, int piece, const char *remark,
            Layout layout)
{
    char *text = piece_spelled(d, piece), *rank = rank_bound(d, piece);
    const char *said = remark ? remark : rank;
    if (strcmp(text, "0"))
        print_formula(layout == LATEX
                          ? format_text("%s = %s", name, text)
                          : format_text("  %s = %s, %s%s", name, text,
                                        remark ? "" : "rank <= ", said),
                      layout);
    free(text);
    free(rank);
}

/* How many parameters are real, as the form says and as they are measured. */
static void
print_counts(const char *word, Layout layout)
{
    static const char shape[] = "d-model=16 heads=4";
    Derivation d = derivation(word, shape, 1);
    RealCount measured =
        real_count(d.plugin.variant, d.derived.attention, &d.weights, 0);
    print_words(format_text("  %d parameters at %s; real: %d by the form, %d "
                            "measured",
                            measured.stored, shape, derived_real(&d.derived),
                            measured.real),
                layout);
    derivation_free(&d);
}

/* Prints a variant's form; false where derivation and probe disagree. */
static bool
print_form(const char *word, Layout layout)
{
    static const char *const says[] = {"is for people, and not compared",
                                       "says the same", "says something else"};
    Derivation of = derivation(word, telling, 2);
    const Derived *d = &of.derived;
    const Variant *v = of.plugin.variant;
    bool form = !d->blocked.count;
    double apart = form ? derived_apart(d, v, &of.weights) : 0;
    if (!(apart <= APART))
        fail("%s: what is derived and what is probed differ by %.1g of the "
             "largest entry: believe neither, and run `qkv check %s`",
             of.plugin.name, apart, word);
    print_words(copy_text(of.plugin.name), layout);
    for (int i = 0; i < d->blocked.count; i++)
        print_words(format_text("  no form: %s", d->blocked.text[i]), layout);
    for (int i = 0; i < d->count && form; i++)
        if (!is_in_form(d, d->w[i]))
            print_words(format_text("  %s is in no piece of the form",
                                    (const char *)d->w[i]->arguments),
                        layout);
    if (form) {
        print_piece(d, "M_i", SCORES, NULL, layout);
        print_piece(d, "m_i", SCORES_BIAS, "a row below M_i", layout);
        print_piece(d, "N_i", VALUES, NULL, layout);
        print_piece(d, "c", PIECES, "added to every token", layout);
        print_words(format_text("  its equation %s",
                                says[equation_read(v->equation, d)]),
                    layout);
        print_counts(word, layout);
    }
    derivation_free(&of);
    return form;
}

/* Prints what makes `to` compute what `from` does. */
static void
print_substitution(const char *from, const char *to, Layout layout)
{
    Derivation a = derivation(from, telling, 2);
    Derivation b = derivation(to, telling, 2);
    double apart;
    Values lines = substitution(&a.derived, &b.derived, &apart);
    bool named = apart <= APART;
    print_words(format_text(named ? "%s computes what %s does, with"
                                  : "%s: no products of the matrices of %s can "
                                    "be named for its own",
                            b.plugin.name, a.plugin.name),
                layout);
    for (int i = 0; i < lines.count && named; i++)
        print_formula(format_text("  %s", lines.text[i]), layout);
    for (int piece = SCORES; piece <= VALUES && !named; piece += VALUES) {
        char *lost = rank_bound(&a.derived, piece);
        char *kept = rank_bound(&b.derived, piece);
        if (strcmp(lost, kept))
            print_words(format_text("  rank of %s: at most %s there, %s here",
                                    piece == VALUES ? "N_i" : "M_i", lost,
                                    kept),
                        layout);
        free(lost);
        free(kept);
    }
    values_free(&lines);
    derivation_free(&a);
    derivation_free(&b);
}

int
command_derive(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Layout layout = layout_of(&o);
    const char *word[2] = {o.rest[0], o.rest[o.rest_count - 1]};
    int count = o.rest_count > 1 ? 2 : 1;
    bool forms = true;
    if (o.rest_count == 3 && strcmp(o.rest[1], "="))
        usage("derive: \"%s\" between two variants: write =", o.rest[1]);
    if (sizeof(real) == 4)
        return run_in_double(argc, argv);
    for (int i = 0; i < count; i++) {
        word[i] = plugin_built(word[i]);
        plugin_given(word[i]);
        forms &= print_form(word[i], layout);
    }
    for (int i = 0; i < count && forms && count == 2; i++)
        print_substitution(word[i], word[!i], layout);
    return 0;
}

/* In the child. */
static void
spell_formula(const void *word, void *text)
{
    Derivation d = derivation(word, telling, 2);
    Values *blocked = &d.derived.blocked;
    snprintf(text, MESSAGE, "%s",
             blocked->count ? format_text("none: %s", joined(blocked, "; "))
                            : form_spelled(&d.derived));
}

char *
formula_of_variant(const char *word)
{
    char text[MESSAGE] = "";
    Ended e =
        in_child(spell_formula, word, text, sizeof text, (Limits){10, 1e9});
    return copy_text(e.answered ? text : e.why);
}
