/* derive.c - qkv derive: prints the form of a variant: M_i and N_i of its heads
   (algebra/derive.h), as products of the plugin's matrices. For two variants,
   it also prints whether one can compute what the other does.

   The output has formulas, and lines of words. In LaTeX a line of words is a
   comment: it begins with "%". */
#include <stdio.h>
#include <string.h>

#include "algebra/real_parameters.h"
#include "algebra/written_equation.h"
#include "driver/options.h"
#include "run/plugin_process.h"

/* Prints a formula on a line. In LaTeX it is a displayed formula, in which ' is
   a transpose, sqrt(...) a root, and each superscript or subscript is put in
   braces. No root contains parentheses. */
static void
print_formula(Layout layout, const char *line)
{
    static const char root[] = "sqrt(", script_ends[] = " ^_[])',";
    bool in_root = false;
    if (layout != LATEX) {
        puts(line);
        return;
    }
    printf("\\[");
    for (const char *at = line; *at;) {
        int length = 1; /* characters of the line that are printed next */
        if (!strncmp(at, root, strlen(root))) {
            length = (int)strlen(root);
            printf("\\sqrt{");
            in_root = true;
        } else if (in_root && *at == ')') {
            putchar('}');
            in_root = false;
        } else if (*at == '\'')
            printf("^\\top");
        else if (strchr("_^", *at)) {
            int script_length = (int)strcspn(at + 1, script_ends);
            printf("%c{%.*s}", *at, script_length, at + 1);
            length += script_length;
        } else
            putchar(*at);
        at += length;
    }
    printf(" \\]\n");
}

/* Returns " in block 1", where parameters are counted, if block 2 may have
   another number of real ones: if it recalls something of block 1, or computes
   something else with equal matrices. Otherwise returns "". A variant that
   restricts its calls also gets "": the blocks are compared by outputs_apart,
   which makes calls of every kind. */
static const char *
block_named(const Variant *v, const char *shape)
{
    if (v->calls != ANY_CALL)
        return "";
    Derived first = derive_at(v, shape, ONE_BLOCK);
    Derived second = derive_at(v, shape, TWO_BLOCKS);
    bool differ = second.run.recalled ||
                  outputs_apart(&first, &second).unmasked > OUTPUT_ROUNDING;
    derived_free(&first);
    derived_free(&second);
    return differ ? " in block 1" : "";
}

/* Prints how many parameters of v are real at shape a, which has no mask: under
   a causal mask and, if the number differs, without a mask. `shape` is the
   shape in words. */
static void
print_real(const Variant *v, Attention a, const char *prefix, const char *shape)
{
    Attention causal = a;
    causal.causal = true;
    RealCount unmasked = real_count(v, a, ANY_TOKENS);
    RealCount masked = real_count(v, causal, ANY_TOKENS);
    printf("%s  %d parameters at %s%s, %d real", prefix, masked.stored, shape,
           block_named(v, shape), masked.real);
    if (unmasked.real != masked.real)
        printf(" under a causal mask, and %d without a mask", unmasked.real);
    printf("\n");
}

/* Prints a line of words below a formula, which says at which shape only the
   formula holds. `where` is the result of only_where; if it is "", there is no
   line. */
static void
print_where(Layout layout, const char *where)
{
    if (*where)
        printf("%s  %s\n", layout == LATEX ? "%" : " ", where);
}

/* The text of a piece of a head (terms.h), such as "W_i^Q (W_i^K)'" and, if
   `with_rank`, ", rank <= d_k". The rank has the name of a width if it is that
   width both here and in d->there, and is a number otherwise. */
static char *
piece_text(const Derived *d, int head, int piece, bool with_rank)
{
    int rank = rank_bound(d, head, piece);
    int rank_there = rank_bound(d->there, head_there(d, head), piece);
    const char *width = number_named(d, (Number){rank, rank_there});
    char *line;
    FILE *text = begin_text(&line);
    print_piece(text, d, head, piece, ONLY_MATRICES);
    if (with_rank)
        fprintf(text, ", rank <= %s", width ? width : format_text("%d", rank));
    end_text(text, &line);
    return line;
}

/* Prints a piece, if the head has it: "  M_i = W_i^Q (W_i^K)', rank <= d_k",
   where `index` is "_i". d->there is the form at LARGER_SHAPE: if the piece has
   another text there, a second line says that the printed text holds only at
   the shape of d. */
static void
print_head_piece(const Derived *d, int head, int piece, const char *index,
                 Layout layout)
{
    static const char *const names[PIECES] = {[M_PIECE] = "M",
                                              [M_ROW] = "m",
                                              [N_PIECE] = "N",
                                              [N_ROW] = "n",
                                              [CONSTANT] = "c"};
    if (!term_of(d, head, piece, FIRST_TERM)) /* there is no such piece */
        return;
    bool is_matrix = piece == M_PIECE || piece == N_PIECE; /* others are rows */
    bool has_form = !d->why; /* if not, an operator may have any rank */
    bool with_rank = is_matrix && has_form && layout != LATEX;
    char *text = piece_text(d, head, piece, with_rank);
    char *at_larger =
        piece_text(d->there, head_there(d, head), piece, with_rank);
    print_formula(layout,
                  format_text("  %s%s = %s", names[piece], index, text));
    print_where(layout, only_where(text, at_larger));
    free(text);
    free(at_larger);
}

/* Returns whether all pieces of two heads have the same text. */
static bool
same_text(const Derived *d, int head, int other)
{
    bool same = true;
    for (int piece = 0; piece < PIECES; piece++) {
        char *text = piece_text(d, head, piece, true);
        char *of_other = piece_text(d, other, piece, true);
        same &= !strcmp(text, of_other);
        free(text);
        free(of_other);
    }
    return same;
}

/* The index of heads `first` to `last`, counted from 1, of `heads` heads: "_i"
   of all, "_3" of one, "_{1..4}" of several. */
static const char *
index_of(int first, int last, int heads)
{
    if (first == 1 && last == heads)
        return "_i";
    if (first == last)
        return format_text("_%d", first);
    return format_text("_{%d..%d}", first, last);
}

/* Prints the pieces of all heads. Neighbouring heads of the same text are
   printed once, as pieces of the last of them. */
static void
print_heads(const Derived *d, Layout layout)
{
    int first = 1; /* the first of the neighbours, counted from 1 */
    for (int last = 1; last <= d->heads; last++) {
        int head = d->heads - last, next = head - 1; /* counted backwards */
        if (next >= 0 && same_text(d, head, next))
            continue; /* the next head is one of these neighbours, too */
        const char *index = index_of(first, last, d->heads);
        for (int piece = M_PIECE; piece < CONSTANT; piece++)
            print_head_piece(d, head, piece, index, layout);
        first = last + 1;
    }
    print_head_piece(d, PRINTED_HEAD, CONSTANT, "", layout); /* all share it */
}

/* Prints whether the equation that the plugin declares gives the same outputs
   as the plugin's code. An equation that is a note for people (A_NOTE) cannot
   be compared. */
static void
print_equation(const Derived *d, const char *prefix)
{
    Written w = equation_compared(d);
    const char *result = "says the same";
    if (w.agreement == A_NOTE)
        result = format_text("%s, and is not compared", w.why);
    if (w.agreement == DISAGREES)
        result = format_text("says something else: %s", w.why);
    printf("%s  its equation %s\n", prefix, result);
}

/* Prints a variant's form, or why it has none; whether its equation says the
   same; and its real parameters. The form is derived at two shapes, because
   only numbers that fit both have the name of a width. */
static void
print_form(const Plugin *p, Layout layout, const char *prefix)
{
    static const char small_shape[] = "d-model=16 heads=4"; /* for speed */
    Derived d = derive_at(p->variant, TELLING_SHAPE, TWO_BLOCKS);
    Derived larger = derive_at(p->variant, LARGER_SHAPE, THREE_BLOCKS);
    pair_forms(&d, &larger);
    bool has_form = !d.why;
    if (has_form && !probe_confirms(&d))
        fail("%s: the form derived from its code is not the one that probing "
             "finds: trust neither, and run `qkv check`",
             p->name);
    printf("%s%s\n", prefix, p->name);
    print_heads(&d, layout);
    if (d.why)
        printf("%s  no form: %s\n", prefix, d.why);
    /* print_equation compares outputs for keys that are not the queries. */
    if (p->variant->calls == ANY_CALL)
        print_equation(&d, prefix);
    Canonical probed = canonical_form(p->variant, d.run.attention,
                                      d.run.weights, FEWEST_POSITIONS);
    if (has_form && probed.unmasked_only)
        printf("%s  this form holds only without a mask\n", prefix);
    /* Derives a form only for the Attention of the small shape. */
    Attention small =
        derive_at(p->variant, small_shape, ONE_BLOCK).run.attention;
    print_real(p->variant, small, prefix, small_shape);
}

/* Prints whether the variant `to` can compute what `from` does. If it can, also
   prints each matrix of `to` as a product of matrices of `from`, unless only a
   numerical fit finds them. If it cannot, or that is not known, prints why. */
static void
print_ability(const Plugin *from, const Plugin *to, Layout layout,
              const char *prefix)
{
    static const char *const answers[] = {
        [CAN] = " computes what",
        [CANNOT] = " cannot compute what",
        [NOT_KNOWN] = ": not known whether it can compute what"};
    const char *how = "";
    Ability able = can_compute(to->variant, from->variant);
    if (able.answer == CAN)
        how = able.fitted ? ", in matrices that its fit finds" : ", with";
    printf("%s%s%s %s does%s\n", prefix, to->name, answers[able.answer],
           from->name, how);
    if (able.answer != CAN)
        printf("%s  %s\n", prefix, able.why);
    if (able.fitted)
        return;
    for (int i = 0; i < able.products.count; i++) {
        print_formula(layout, format_text("  %s", able.products.text[i]));
        print_where(layout, able.where.text[i]);
    }
}

/* If two variants declare the same matrices, and both can be called with and
   without a mask (ANY_CALL), prints whether they give the same outputs when the
   matrices have the same entries. */
static void
print_with_equal_matrices(const Variant *one, const Variant *other,
                          const char *prefix)
{
    Derived a = derive_at(one, TELLING_SHAPE, TWO_BLOCKS);
    Derived b = derive_at(other, TELLING_SHAPE, TWO_BLOCKS);
    bool any_call = one->calls == ANY_CALL && other->calls == ANY_CALL;
    if (!any_call || !have_same_matrices(&a, &b))
        return;
    OutputsApart apart = outputs_apart(&a, &b);
    printf("%swith equal matrices ", prefix);
    if (apart.unmasked > OUTPUT_ROUNDING)
        printf("their outputs differ by %.2g of the largest\n", apart.unmasked);
    else if (apart.causal > OUTPUT_ROUNDING)
        printf("they are the same without a mask; under a causal mask their "
               "outputs differ by %.2g of the largest\n",
               apart.causal);
    else
        printf("they are the same\n");
}

int
command_derive(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Layout layout = layout_of(&o);
    const char *prefix = layout == LATEX ? "% " : "";
    const char *first = o.words[0], *last = o.words[o.word_count - 1];
    /* `derive A B` means `derive A = B`. */
    const char *sign = o.word_count == 3 ? o.words[1] : "=";
    if (strcmp(sign, "=") != 0)
        usage("derive: write = between the variants, not \"%s\"", sign);
    if (sizeof(real) == sizeof(float)) /* ranks need double precision */
        return run_in_double(argc, argv);
    Plugin a = plugin_open(plugin_typed(first));
    print_form(&a, layout, prefix);
    if (o.word_count == 1)
        return 0;
    Plugin b = plugin_open(plugin_typed(last));
    print_form(&b, layout, prefix);
    print_ability(&a, &b, layout, prefix);
    print_ability(&b, &a, layout, prefix);
    print_with_equal_matrices(a.variant, b.variant, prefix);
    return 0;
}
