/* derive.c - qkv derive: prints what a variant computes, M_i and N_i of its
   heads (algebra/derive.h), as products of the plugin's matrices; and whether
   one variant can compute what another does. */
#include <stdio.h>
#include <string.h>

#include "algebra/real_parameters.h"
#include "algebra/written_equation.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "run/plugin_process.h"

/* A random model in which a later block can recall what an earlier one
   remembered has this many blocks. */
enum { BLOCKS = 2 };

/* The signs of a formula that have other forms on a terminal and in LaTeX. */
static const struct Sign {
    const char *plain, *terminal, *latex;
} signs[] = {
    {"sqrt(", "√(", "\\sqrt{"}, {"'", "ᵀ", "^\\top"}, {"<=", "≤", "\\le"}};

/* The sign with which a text begins, or NULL. */
static const struct Sign *
sign_at(const char *text)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (!strncmp(text, signs[i].plain, strlen(signs[i].plain)))
            return &signs[i];
    return NULL;
}

/* Prints a formula. In LaTeX it is displayed, with braces around a superscript,
   a subscript and the content of a root. */
static void
print_formula(Layout layout, const char *line)
{
    bool latex = layout == LATEX, in_root = false;
    const char *at = line; /* what is not printed yet */
    if (layout == TSV) {
        puts(line);
        return;
    }
    if (latex)
        printf("\\[");
    while (*at) {
        const struct Sign *sign = sign_at(at);
        int length = 1;
        if (sign) {
            length = (int)strlen(sign->plain);
            fputs(latex ? sign->latex : sign->terminal, stdout);
            in_root |= sign == &signs[0]; /* sqrt( */
        } else if (latex && strchr("_^", *at)) {
            int script = (int)strcspn(at + 1, " ^_[])',"); /* its length */
            printf("%c{%.*s}", *at, script, at + 1);
            length += script;
        } else if (in_root && latex && *at == ')') {
            putchar('}');
            in_root = false;
        } else
            putchar(*at);
        at += length;
    }
    printf(latex ? " \\]\n" : "\n");
}

/* Prints how many parameters are real at a shape: under a causal mask and, if
   the number differs, without a mask. `words` begins the line. */
static void
print_real(const Variant *v, Attention a, const char *words, const char *shape)
{
    RealCount unmasked = real_count(v, a, ANY_TOKENS);
    a.causal = 1;
    RealCount masked = real_count(v, a, ANY_TOKENS);
    printf("%s  %d parameters at %s, %d real", words, masked.stored, shape,
           masked.real);
    if (unmasked.real != masked.real)
        printf(" under a causal mask, and %d without a mask", unmasked.real);
    printf("\n");
}

/* Prints a piece of a head (terms.h), "M_i = W_i^Q (W_i^K)', rank <= d_k"; with
   the head's number instead of i if `numbered`, because heads differ. Prints
   nothing if the head has no such piece. */
static void
print_head_piece(const Derived *d, int head, int piece, bool numbered,
                 Layout layout)
{
    static const char *const names[PIECES] = {[M_PIECE] = "M",
                                              [M_ROW] = "m",
                                              [N_PIECE] = "N",
                                              [N_ROW] = "n",
                                              [CONSTANT] = "c"};
    int rank = rank_bound(d, head, piece);
    const char *bound = number_named(d, rank), *index = "_i";
    char *line;
    if (!rank)
        return;
    if (!bound)
        bound = format_text("%d at %s", rank, TELLING_SHAPE);
    if (numbered) /* head 0 is the last one (terms.h) */
        index = format_text("_%d", d->heads - head);
    if (piece == CONSTANT) /* all heads together have one */
        index = "";
    FILE *text = begin_text(&line);
    fprintf(text, "  %s%s = ", names[piece], index);
    print_piece(text, d, head, piece, false);
    if (!d->why && layout != LATEX && (piece == M_PIECE || piece == N_PIECE))
        fprintf(text, ", rank <= %s", bound);
    end_text(text, &line);
    print_formula(layout, line);
}

/* Prints whether the plugin's equation computes the same as its code. `words`
   begins the line. */
static void
print_equation(const Derived *d, const char *words)
{
    Written w = equation_compared(d);
    const char *says = "says the same";
    if (w.agreement == A_NOTE)
        says = format_text("%s, and is not compared", w.why);
    if (w.agreement == DISAGREES)
        says = format_text("says something else: %s", w.why);
    printf("%s  its equation %s\n", words, says);
}

/* Prints a variant's form, or why it has none, and its real parameters. `words`
   begins each line of words. */
static void
print_form(const Plugin *p, Layout layout, const char *words)
{
    static const char shape[] = "d-model=16 heads=4"; /* for real parameters */
    Derived d = derive_at(p->variant, TELLING_SHAPE, BLOCKS);
    bool form = !d.why;
    bool numbered = form && !heads_alike(&d);
    int heads = numbered ? d.heads : 1;
    if (form && !(derived_apart(&d) <= APART)) /* NaN is too far, too */
        fail("%s: the form derived from its code is not the one that probing "
             "finds: trust neither, and run `qkv check`",
             p->name);
    printf("%s%s\n", words, p->name);
    for (int head = heads - 1; head >= 0; head--)
        for (int i = 0; i < PIECES; i++)
            print_head_piece(&d, head, i, numbered, layout);
    if (d.why)
        printf("%s  no form: %s\n", words, d.why);
    if (p->variant->calls == ANY_CALL)
        print_equation(&d, words);
    Canonical probed =
        canonical_form(p->variant, d.run.attention, d.run.weights, 0);
    if (form && probed.unmasked_only)
        printf("%s  this form holds only without a mask\n", words);
    print_real(p->variant, derive_at(p->variant, shape, 1).run.attention, words,
               shape);
}

/* Prints whether `to` can compute what `from` does: with which products of its
   matrices, or why not. `words` begins each line of words. */
static void
print_ability(const Plugin *from, const Plugin *to, Layout layout,
              const char *words)
{
    static const char *const answers[] = {
        [CAN] = " computes what",
        [CANNOT] = " cannot compute what",
        [NOT_KNOWN] = ": not known whether it can compute what"};
    const char *how = "";
    Ability v = can_compute(to->variant, from->variant);
    if (v.answer == CAN)
        how = v.fitted ? ", in matrices that its fit finds" : ", with";
    printf("%s%s%s %s does%s\n", words, to->name, answers[v.answer], from->name,
           how);
    if (v.answer != CAN)
        printf("%s  %s\n", words, v.why);
    for (int i = 0; i < v.products.count && !v.fitted; i++)
        print_formula(layout, format_text("  %s", v.products.text[i]));
}

/* If the variants of two plugins have the same matrices, prints whether they
   are the same function of these, with nothing substituted. `words` begins the
   line. */
static void
print_with_equal_matrices(const Plugin p[2], const char *words)
{
    Derived a = derive_at(p[0].variant, TELLING_SHAPE, BLOCKS);
    Derived b = derive_at(p[1].variant, TELLING_SHAPE, BLOCKS);
    bool any_call = p[0].variant->calls == ANY_CALL &&
                    p[1].variant->calls == ANY_CALL; /* with and without mask */
    if (!any_call || !copy_same_matrices(&a, &b))
        return;
    OutputsApart off = outputs_apart(&a, &b);
    printf("%swith equal matrices ", words);
    if (off.unmasked > ROUNDING)
        printf("their outputs differ by %.2g of the largest\n", off.unmasked);
    else if (off.causal > ROUNDING)
        printf("they are the same without a mask; under a causal mask their "
               "outputs differ by %.2g of the largest\n",
               off.causal);
    else
        printf("they are the same\n");
}

int
command_derive(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Layout layout = layout_of(&o);
    const char *words = layout == LATEX ? "% " : ""; /* a comment of LaTeX */
    Plugin p[2];
    int count = o.word_count > 1 ? 2 : 1;
    if (o.word_count == 3 && strcmp(o.words[1], "="))
        usage("derive: write = between the variants, not \"%s\"", o.words[1]);
    if (sizeof(real) == 4)
        return run_in_double(argc, argv);
    for (int i = 0; i < count; i++) { /* the first word, and the last */
        const char *word = o.words[i == 0 ? 0 : o.word_count - 1];
        p[i] = plugin_open(plugin_typed(word));
        print_form(&p[i], layout, words);
    }
    if (count == 2) {
        print_ability(&p[0], &p[1], layout, words);
        print_ability(&p[1], &p[0], layout, words);
        print_with_equal_matrices(p, words);
    }
    return 0;
}
