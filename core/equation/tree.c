/* tree.c - an equation as a paper writes it, read into a tree. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "equation/tree.h"
#include "heart/plugin.h"

#define BLANKS " \t"
enum { MOST_LINES = 1000, SHOWN = 72 };

/* Reads from `at`; a line ends at `end`. */
typedef struct Reader {
    EquationText *equation;
    const char *at, *end;
} Reader;

/* Prints a line of the text, and a mark below `at`. Of a long line only the
   part around the mark is shown. */
static void
print_marked(const char *line, const char *at)
{
    int length = (int)strcspn(line, "\n"), mark = (int)(at - line), from = 0;
    if (length > SHOWN && mark > SHOWN / 2)
        from = mark - SHOWN / 2;
    int shown = length - from < SHOWN ? length - from : SHOWN;
    fprintf(stderr, "    %.*s\n    %*s^\n", shown, line + from, mark - from,
            "");
}

void
equation_wrong(const EquationText *e, const char *at, const char *format, ...)
{
    char what[MESSAGE / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    int number = 1;
    const char *line = e->text;
    for (const char *c = e->text; c < at; c++)
        if (*c == '\n') {
            number++;
            line = c + 1;
        }
    print_marked(line, at);
    fail("%s:%d: %s", e->path, number, what);
}

static Tree *
tree_new(TreeKind kind, const char *at)
{
    Tree *t = allocate(1, sizeof *t);
    t->kind = kind;
    t->at = at;
    return t;
}

void
tree_add(Tree *t, Tree *operand)
{
    t->of = grow(t->of, t->count, &t->capacity, sizeof *t->of);
    t->of[t->count] = operand;
    t->count++;
}

Tree *
tree_of(TreeKind kind, const char *at, Tree *first, Tree *second)
{
    Tree *t = tree_new(kind, at);
    tree_add(t, first);
    if (second)
        tree_add(t, second);
    return t;
}

Tree *
tree_name(const char *name)
{
    Tree *t = tree_new(TREE_NAME, NULL);
    t->name = interned(name);
    return t;
}

Tree *
tree_number(double number)
{
    Tree *t = tree_new(TREE_NUMBER, NULL);
    t->number = number;
    return t;
}

bool
tree_calls(const Tree *t, const char *name)
{
    return t->kind == TREE_CALL && !strcmp(t->name, name);
}

/* The two signs beyond ASCII that `qkv derive` prints on a terminal. */
#define ROOT_SIGN      "\xe2\x88\x9a" /* a square root */
#define TRANSPOSE_SIGN "\xe1\xb5\x80" /* a raised T */

static bool
begins(const Reader *r, const char *word)
{
    return !strncmp(r->at, word, strlen(word));
}

static void
skip_blanks(Reader *r)
{
    r->at += strspn(r->at, BLANKS);
}

/* Reads a sign if it follows without a blank, and returns whether it did. */
static bool
take_close(Reader *r, const char *sign)
{
    if (r->at >= r->end || !begins(r, sign))
        return false;
    r->at += strlen(sign);
    return true;
}

/* The same for a sign that blanks may precede. */
static bool
take(Reader *r, const char *sign)
{
    skip_blanks(r);
    return take_close(r, sign);
}

/* Reads a sign, and exits if it is not next. */
static void
expect(Reader *r, const char *sign, const char *where)
{
    if (!take(r, sign))
        equation_wrong(r->equation, r->at, "expected \"%s\" %s", sign, where);
}

/* The length of the name that begins at `at`, such as W_i^Q or d_k; 0 if none
   does. */
static size_t
name_length(const char *at)
{
    size_t n = 0;
    if (!isalpha((unsigned char)*at))
        return 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '^')
        n++;
    return n;
}

static const char *
read_name(Reader *r)
{
    size_t n = name_length(r->at);
    const char *name = interned(format_text("%.*s", (int)n, r->at));
    r->at += n;
    return name;
}

static Tree *read_sum(Reader *r);

/* Reads operands, separated by commas, up to the sign that closes them. */
static void
read_list(Reader *r, Tree *to, const char *closing)
{
    do
        tree_add(to, read_sum(r));
    while (take(r, ","));
    expect(r, closing, "or a comma");
}

static Tree *
read_number(Reader *r)
{
    char *after;
    Tree *t = tree_new(TREE_NUMBER, r->at);
    t->number = strtod(r->at, &after);
    r->at = after;
    return t;
}

/* Reads a number, a name, a call, a bracket or matrices side by side. */
static Tree *
read_primary(Reader *r)
{
    skip_blanks(r);
    const char *at = r->at;
    if (isdigit((unsigned char)*at))
        return read_number(r);
    if (take(r, ROOT_SIGN)) {
        Tree *root = tree_new(TREE_CALL, at);
        root->name = interned("sqrt");
        expect(r, "(", "after the root");
        read_list(r, root, ")");
        return root;
    }
    if (name_length(at)) {
        Tree *t = tree_new(TREE_NAME, at);
        t->name = read_name(r);
        if (take_close(r, "(")) {
            t->kind = TREE_CALL;
            read_list(r, t, ")");
        }
        return t;
    }
    if (take(r, "(")) {
        Tree *t = read_sum(r);
        expect(r, ")", "to close the bracket");
        return t;
    }
    if (take(r, "[")) {
        Tree *t = tree_new(TREE_JOINED, at);
        read_list(r, t, "]");
        return t;
    }
    equation_wrong(r->equation, at,
                   "expected a matrix, a number, a function or a bracket");
}

/* Reads "0 : d_k]", a range of the columns of t. */
static Tree *
read_columns(Reader *r, Tree *t)
{
    Tree *columns = tree_of(TREE_COLUMNS, t->at, t, read_sum(r));
    expect(r, ":", "between the first column and the one after the last");
    tree_add(columns, read_sum(r));
    expect(r, "]", "to close the bracket");
    return columns;
}

/* Reads a primary, and the transpositions and ranges of columns after it. */
static Tree *
read_factor(Reader *r)
{
    Tree *t = read_primary(r);
    for (;;)
        if (take_close(r, "'") || take_close(r, TRANSPOSE_SIGN))
            t = tree_of(TREE_TRANSPOSED, t->at, t, NULL);
        else if (take_close(r, "["))
            t = read_columns(r, t);
        else
            return t;
}

/* Does another factor follow, without a sign before it? */
static bool
at_factor(Reader *r)
{
    skip_blanks(r);
    return r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '(' ||
                              *r->at == '[' || begins(r, ROOT_SIGN));
}

/* Reads factors, one after another, and divisors after /. */
static Tree *
read_product(Reader *r)
{
    Tree *first = read_factor(r);
    Tree *product = tree_of(TREE_PRODUCT, first->at, first, NULL);
    for (;;)
        if (take(r, "/")) {
            Tree *divisor = read_factor(r);
            tree_add(product,
                     tree_of(TREE_INVERSE, divisor->at, divisor, NULL));
        } else if (at_factor(r))
            tree_add(product, read_factor(r));
        else
            return product->count == 1 ? first : product;
}

/* Reads products, separated by the . of products entry by entry. */
static Tree *
read_entries(Reader *r)
{
    Tree *first = read_product(r);
    Tree *entries = tree_of(TREE_ENTRIES, first->at, first, NULL);
    while (take(r, "."))
        tree_add(entries, read_product(r));
    return entries->count == 1 ? first : entries;
}

static Tree *
read_term(Reader *r, bool negative)
{
    Tree *t = read_entries(r);
    return negative ? tree_of(TREE_NEGATIVE, t->at, t, NULL) : t;
}

/* Reads terms, separated by + or -. */
static Tree *
read_sum(Reader *r)
{
    bool negative = take(r, "-");
    Tree *first = read_term(r, negative);
    Tree *sum = tree_of(TREE_SUM, first->at, first, NULL);
    for (;;)
        if (take(r, "+"))
            tree_add(sum, read_term(r, false));
        else if (take(r, "-"))
            tree_add(sum, read_term(r, true));
        else
            return sum->count == 1 ? first : sum;
}

/* Reads "~ N(0, 0.1)", if that follows the shape of a matrix. */
static void
read_initial(Reader *r, Declaration *d)
{
    if (!take(r, "~"))
        return;
    expect(r, "N(", "as in N(0, 0.1): mean and standard deviation");
    d->mean = read_sum(r);
    expect(r, ",", "between mean and standard deviation");
    d->deviation = read_sum(r);
    expect(r, ")", "to close the bracket");
}

/* Reads "d_model x d_k", and how the entries are initialised. The number of
   rows is a product that ends before a factor x. */
static void
read_declaration(Reader *r, const char *name, const char *at)
{
    EquationText *e = r->equation;
    Declaration d = {.name = name, .at = at};
    for (int i = 0; i < e->declarations; i++)
        if (e->declaration[i].name == name)
            equation_wrong(e, at, "%s has a shape already: leave one out",
                           name);
    d.rows = read_factor(r);
    while (at_factor(r) && strncmp(r->at, "x ", 2))
        d.rows = tree_of(TREE_PRODUCT, d.rows->at, d.rows, read_factor(r));
    expect(r, "x", "between rows and columns, as in d_model x d_k");
    d.cols = read_sum(r);
    read_initial(r, &d);
    e->declaration = grow(e->declaration, e->declarations,
                          &e->declaration_capacity, sizeof d);
    e->declaration[e->declarations] = d;
    e->declarations++;
}

static const char *
rest_of_line(Reader *r)
{
    skip_blanks(r);
    const char *from = r->at;
    r->at = r->end;
    return interned(format_text("%.*s", (int)(r->end - from), from));
}

/* Reads the text after "family:" or "settings:", or the shape after the name of
   a matrix. */
static void
read_fact(Reader *r, const char *name, const char *at)
{
    if (!strcmp(name, "family"))
        r->equation->family = rest_of_line(r);
    else if (!strcmp(name, "settings"))
        r->equation->settings = rest_of_line(r);
    else
        read_declaration(r, name, at);
}

static void
add_definition(EquationText *e, const char *name, Tree *value)
{
    e->definition = grow(e->definition, e->definitions, &e->definition_capacity,
                         sizeof *e->definition);
    e->definition[e->definitions] = (Definition){name, value};
    e->definitions++;
}

/* Reads the line from `at` to `end`. */
static void
read_line(Reader *r)
{
    skip_blanks(r);
    const char *at = r->at;
    if (at == r->end)
        return;
    EquationText *e = r->equation;
    int last = e->definitions - 1;
    if (last >= 0 && !e->definition[last].name)
        equation_wrong(e, at,
                       "the line before this one is the output, since it has "
                       "no name: nothing may follow it");
    const char *name = name_length(at) ? read_name(r) : NULL;
    if (name && take(r, ":"))
        read_fact(r, name, at);
    else if (name && take(r, "="))
        add_definition(e, name, read_sum(r));
    else { /* the output; its first factor may be that name */
        r->at = at;
        add_definition(e, NULL, read_sum(r));
    }
    skip_blanks(r);
    if (r->at < r->end)
        equation_wrong(e, r->at, "expected an operator or the end of the line");
}

/* Exits if the text has control characters or is not UTF-8: messages print
   parts of it, and a terminal would obey them. */
static void
check_characters(const EquationText *e, const char *text)
{
    char *copy = copy_text(text);
    replace_in(copy, "\t\n", ' ');
    if (!is_text(copy))
        fail("%s: it has a control character, or bytes that are not UTF-8: "
             "write plain text",
             e->path);
}

static const char *
line_end(const char *line)
{
    return line + strcspn(line, ";#\n");
}

/* The line after one that ends at `end`, where a comment may begin. */
static const char *
line_after(const char *end)
{
    if (*end == '#')
        end += strcspn(end, "\n");
    return *end ? end + 1 : end;
}

/* The words of a line, with one blank between them. */
static const char *
line_words(const char *line)
{
    Values words = {0};
    char *copy = format_text("%.*s", (int)(line_end(line) - line), line), *rest;
    char *word = strtok_r(copy, BLANKS, &rest);
    while (word) {
        values_add(&words, copy_text(word));
        word = strtok_r(NULL, BLANKS, &rest);
    }
    return joined(&words, " ");
}

/* The lines of the equation itself, without comments, family and settings, and
   with ";" between them. */
static const char *
lines_of(const char *text)
{
    Values lines = {0};
    for (const char *line = text; *line; line = line_after(line_end(line))) {
        const char *words = line_words(line);
        bool fact =
            !strncmp(words, "family:", 7) || !strncmp(words, "settings:", 9);
        if (*words && !fact)
            values_add(&lines, copy_text(words));
    }
    return interned(joined(&lines, "; "));
}

EquationText *
equation_read(const char *path, const char *text)
{
    EquationText *e = allocate(1, sizeof *e);
    *e = (EquationText){
        .path = path, .text = text, .family = "", .settings = ""};
    check_characters(e, text);
    e->lines = lines_of(text);
    if (strlen(e->lines) > MOST_LINES)
        fail("%s: it is too long: an equation has at most %d characters "
             "besides comments; use shorter names, or write it in C (qkv new)",
             path, MOST_LINES);
    for (const char *line = text; *line; line = line_after(line_end(line))) {
        Reader r = {.equation = e, .at = line, .end = line_end(line)};
        read_line(&r);
    }
    if (!e->definitions || e->definition[e->definitions - 1].name)
        fail("%s: it has no output: add a last line without a name, as in "
             "softmax(...) ... W_i^O",
             path);
    return e;
}
