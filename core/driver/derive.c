/* derive.c - qkv derive: the canonical form, in the plugin's own matrices. */
#include <stdio.h>
#include <string.h>

#include "algebra/real_parameters.h"
#include "algebra/substitute.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "run/compile.h"
#include "run/plugin_process.h"

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
    char *text = piece_spelled(d, piece);
    char *said = remark ? copy_text(remark) : rank_spelled(d, piece);
    if (strcmp(text, "0"))
        print_formula(layout == LATEX
                          ? format_text("%s = %s", name, text)
                          : format_text("  %s = %s, %s%s", name, text,
                                        remark ? "" : "rank <= ", said),
                      layout);
    free(text);
    free(said);
}

/* Prints a variant's form; false if there is none. */
static bool
print_form(const Plugin *p, Layout layout)
{
    static const char *const says[] = {"is for people, and not compared",
                                       "says the same", "says something else"};
    static const char shape[] = "d-model=16 heads=4";
    Derived d = derive_at(p->variant, TELLING_SHAPE, 2);
    bool form = !d.blocked.count;
    double apart = form ? derived_apart(&d) : 0;
    if (!(apart <= APART))
        fail("%s: what is derived and what is probed differ by %.1g of the "
             "largest entry: believe neither, and run `qkv check`",
             p->name, apart);
    print_words(copy_text(p->name), layout);
    for (int i = 0; i < d.blocked.count; i++)
        print_words(format_text("  no form: %s", d.blocked.text[i]), layout);
    for (int i = 0; i < d.weights.count && form; i++)
        if (!is_in_form(&d, i))
            print_words(format_text("  %s is in no piece of the form",
                                    d.weights.list[i].name),
                        layout);
    if (form) {
        print_piece(&d, "M_i", SCORES, NULL, layout);
        print_piece(&d, "m_i", SCORES_BIAS, "a row below M_i", layout);
        print_piece(&d, "N_i", VALUES, NULL, layout);
        print_piece(&d, "c", PIECES, "added to every token", layout);
        Reading r = equation_read(p->variant->equation, &d);
        print_words(format_text("  its equation %s", says[r]), layout);
        derived_free(&d);
        d = derive_at(p->variant, shape, 1);
        int real = real_count(p->variant, d.attention, &d.weights, 0).real;
        print_words(format_text("  %d parameters at %s; real: %d by the form, "
                                "%d measured",
                                d.stored, shape, derived_real(&d), real),
                    layout);
    }
    derived_free(&d);
    return form;
}

/* Prints what makes `to` compute what `from` does. */
static void
print_substitution(const Plugin *from, const Plugin *to, Layout layout)
{
    Derived a = derive_at(from->variant, TELLING_SHAPE, 2);
    Derived b = derive_at(to->variant, TELLING_SHAPE, 2);
    double apart;
    Values lines = substitution(&a, &b, &apart);
    bool named = apart <= APART;
    print_words(format_text(named ? "%s computes what %s does, with"
                                  : "%s: no products of the matrices of %s can "
                                    "be named for its own",
                            to->name, from->name),
                layout);
    for (int i = 0; i < lines.count && named; i++)
        print_formula(format_text("  %s", lines.text[i]), layout);
    values_free(&lines);
    derived_free(&a);
    derived_free(&b);
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
        const char *word = plugin_built(o.rest[i ? o.rest_count - 1 : 0]);
        plugin_given(word);
        p[i] = plugin_open(word);
        forms &= print_form(&p[i], layout);
    }
    for (int i = 0; i < count && forms; i++)
        print_substitution(&p[i], &p[!i], layout);
    return 0;
}
