/* parse.c - an equation as a paper writes it, read into a tree.

   The reader is a recursive-descent parser: it has a function for each rule of
   the grammar in parse.h. Each node of the tree keeps the place in the text
   where it begins, so that any later message about the node can show its line,
   with a mark below that place. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "equation/parse.h"

/* Characters beyond ASCII that mean something to the reader, in UTF-8. */
#define ROOT_SIGN       "\xe2\x88\x9a" /* a square root */
#define TRANSPOSE_SIGN  "\xe1\xb5\x80" /* a raised T */
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* some editors begin a file with it */

enum {
    MOST_CHARACTERS = 1000, /* in EquationText.lines, which config.tsv keeps as
                               one value of at most 1023 bytes */
    MOST_SHOWN = 72         /* characters of a line that a message shows */
};

/* The reader has read the current line up to `next`. The line ends at `end`,
   before a newline, ";", "#" or the end of the text. */
typedef struct Reader {
    EquationText *equation;
    const char *next, *end;
} Reader;

/* Messages */

/* Prints a line of the text, and a mark below `place`. Prints only the part of
   a long line that is around the mark. */
static void
print_marked(const char *line, const char *place)
{
    int length = (int)strcspn(line, "\n"), mark = (int)(place - line);
    int from = 0; /* the first character that is shown */
    if (length > MOST_SHOWN && mark > MOST_SHOWN / 2)
        from = mark - MOST_SHOWN / 2;
    int shown = length - from < MOST_SHOWN ? length - from : MOST_SHOWN;
    fprintf(stderr, "    %.*s\n", shown, line + from);
    fprintf(stderr, "    %*s^\n", mark - from, "");
}

void
equation_wrong(const EquationText *e, const char *place, const char *format,
               ...)
{
    char message[MESSAGE / 2]; /* leaves the other half for the path and the
                                  line number */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    int line_number = 1;
    const char *line = e->text;
    for (const char *c = e->text; c < place; c++)
        if (*c == '\n') {
            line_number++;
            line = c + 1;
        }
    print_marked(line, place);
    fail("%s:%d: %s", e->path, line_number, message);
}

/* Trees */

/* The place of a tree that was not read from a text. */
#define NO_PLACE NULL

/* A new tree without operands. */
static Tree *
tree_new(TreeKind kind, const char *place)
{
    Tree *t = allocate(1, sizeof *t);
    t->kind = kind;
    t->place = place;
    return t;
}

void
tree_add(Tree *t, Tree *operand)
{
    t->operand = grow(t->operand, t->count, &t->capacity, sizeof *t->operand);
    t->operand[t->count] = operand;
    t->count++;
}

Tree *
tree_unary(TreeKind kind, const char *place, Tree *operand)
{
    Tree *t = tree_new(kind, place);
    tree_add(t, operand);
    return t;
}

Tree *
tree_binary(TreeKind kind, const char *place, Tree *first, Tree *second)
{
    Tree *t = tree_unary(kind, place, first);
    tree_add(t, second);
    return t;
}

Tree *
tree_name(const char *name)
{
    Tree *t = tree_new(TREE_NAME, NO_PLACE);
    t->name = interned(name);
    return t;
}

Tree *
tree_number(double number)
{
    Tree *t = tree_new(TREE_NUMBER, NO_PLACE);
    t->number = number;
    return t;
}

bool
tree_calls(const Tree *t, const char *function)
{
    return t->kind == TREE_CALL && !strcmp(t->name, function);
}

bool
tree_is_number(const Tree *t, double x)
{
    return t->kind == TREE_NUMBER && t->number == x;
}

/* Signs and names */

static bool
begins_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

static void
skip_blanks(Reader *r)
{
    r->next += strspn(r->next, " ");
}

/* Reads this sign if the text continues with it, without a blank. Returns
   whether it does. */
static bool
accept_adjacent(Reader *r, const char *sign)
{
    if (r->next >= r->end || !begins_with(r->next, sign))
        return false;
    r->next += strlen(sign);
    return true;
}

/* Skips blanks, and then reads this sign if the text continues with it. Returns
   whether it does. */
static bool
accept(Reader *r, const char *sign)
{
    skip_blanks(r);
    return accept_adjacent(r, sign);
}

/* Skips blanks, and then reads this sign. If the text continues with anything
   else, exits with the message `expected "SIGN" WHERE`. */
static void
expect(Reader *r, const char *sign, const char *where)
{
    if (!accept(r, sign))
        equation_wrong(r->equation, r->next, "expected \"%s\" %s", sign, where);
}

/* The length of the name at the beginning of the text, such as W_i^Q or d_k; 0
   if no name begins there. */
static size_t
name_length(const char *text)
{
    size_t n = 0;
    if (!isalpha((unsigned char)*text))
        return 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '^')
        n++;
    return n;
}

/* Reads the name that comes next, and returns it interned. */
static const char *
read_name(Reader *r)
{
    size_t n = name_length(r->next);
    const char *name = interned(format_text("%.*s", (int)n, r->next));
    r->next += n;
    return name;
}

/* Expressions */

static Tree *read_sum(Reader *r);

/* Reads sums with commas between them, and then the sign that closes the list.
   Each sum becomes an operand of t. */
static void
read_list(Reader *r, Tree *t, const char *closing)
{
    do
        tree_add(t, read_sum(r));
    while (accept(r, ","));
    expect(r, closing, "or a comma");
}

static Tree *
read_number(Reader *r)
{
    char *after;
    Tree *t = tree_new(TREE_NUMBER, r->next);
    t->number = strtod(r->next, &after);
    r->next = after;
    return t;
}

/* Reads a name, or the call that it begins. */
static Tree *
read_name_or_call(Reader *r)
{
    Tree *t = tree_new(TREE_NAME, r->next);
    t->name = read_name(r);
    if (accept_adjacent(r, "(")) {
        t->kind = TREE_CALL;
        read_list(r, t, ")");
    }
    return t;
}

/* Reads a number, a name, a call, a sum in brackets, or a list [A, B, ...] of
   matrices side by side. */
static Tree *
read_primary(Reader *r)
{
    skip_blanks(r);
    const char *place = r->next;
    if (isdigit((unsigned char)*place))
        return read_number(r);
    if (name_length(place))
        return read_name_or_call(r);
    if (accept(r, ROOT_SIGN)) { /* a call of sqrt, written with the sign */
        Tree *root = tree_new(TREE_CALL, place);
        root->name = interned("sqrt");
        expect(r, "(", "after the root sign");
        read_list(r, root, ")");
        return root;
    }
    if (accept(r, "(")) {
        Tree *t = read_sum(r);
        expect(r, ")", "to close the bracket");
        return t;
    }
    if (accept(r, "[")) {
        Tree *t = tree_new(TREE_JOINED, place);
        read_list(r, t, "]");
        return t;
    }
    equation_wrong(r->equation, place,
                   "expected a matrix, a number, a function or a bracket");
}

/* Reads the rest of t[0 : d_k], after its "[". */
static Tree *
read_columns(Reader *r, Tree *t)
{
    Tree *columns = tree_binary(TREE_COLUMNS, t->place, t, read_sum(r));
    expect(r, ":", "between the first and the end column, as in q[0 : d_k]");
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
        if (accept_adjacent(r, "'") || accept_adjacent(r, TRANSPOSE_SIGN))
            t = tree_unary(TREE_TRANSPOSED, t->place, t);
        else if (accept_adjacent(r, "["))
            t = read_columns(r, t);
        else
            return t;
}

/* Does another factor come next, rather than a sign or the end of the line? */
static bool
at_factor(Reader *r)
{
    skip_blanks(r);
    if (r->next >= r->end)
        return false;
    bool bracket = *r->next == '(' || *r->next == '[';
    return bracket || begins_with(r->next, ROOT_SIGN) ||
           isalnum((unsigned char)*r->next); /* a name or a number */
}

/* Reads a product: factors, and divisors after "/". A product of one factor is
   that factor itself; read_entries and read_sum do the same for one operand. */
static Tree *
read_product(Reader *r)
{
    Tree *first = read_factor(r);
    Tree *product = tree_unary(TREE_PRODUCT, first->place, first);
    for (;;)
        if (accept(r, "/")) {
            Tree *divisor = read_factor(r);
            tree_add(product,
                     tree_unary(TREE_INVERSE, divisor->place, divisor));
        } else if (at_factor(r))
            tree_add(product, read_factor(r));
        else
            return product->count == 1 ? first : product;
}

/* Reads products with "." between them, which are multiplied entry by entry. */
static Tree *
read_entries(Reader *r)
{
    Tree *first = read_product(r);
    Tree *entries = tree_unary(TREE_ENTRIES, first->place, first);
    while (accept(r, "."))
        tree_add(entries, read_product(r));
    return entries->count == 1 ? first : entries;
}

/* Reads terms with "+" or "-" between them. The first may have a "-" before it.
 */
static Tree *
read_sum(Reader *r)
{
    Tree *sum = tree_new(TREE_SUM, NO_PLACE);
    bool negative = accept(r, "-"); /* the sign of the next term */
    bool more = true;
    while (more) {
        Tree *t = read_entries(r);
        tree_add(sum, negative ? tree_unary(TREE_NEGATIVE, t->place, t) : t);
        negative = accept(r, "-");
        more = negative || accept(r, "+");
    }
    sum->place = sum->operand[0]->place;
    return sum->count == 1 ? sum->operand[0] : sum;
}

/* Lines */

const Declaration *
declaration_of(const EquationText *e, const char *name)
{
    for (int i = 0; i < e->declarations; i++)
        if (e->declaration[i].name == name)
            return &e->declaration[i];
    return NULL;
}

/* Where a line ends: at a newline, a ";" or the "#" of a comment. */
static const char *
line_end(const char *line)
{
    return line + strcspn(line, ";#\n");
}

/* The line after this one, or "" if this is the last. */
static const char *
next_line(const char *line)
{
    const char *end = line_end(line);
    if (*end == '#')
        end += strcspn(end, "\n");
    return *end ? end + 1 : end;
}

/* The words of a line, without its comment, with one blank between them. */
static const char *
line_words(const char *line)
{
    Values words = {0};
    char *copy = format_text("%.*s", (int)(line_end(line) - line), line), *rest;
    char *word = strtok_r(copy, " ", &rest);
    while (word) {
        values_add(&words, copy_text(word));
        word = strtok_r(NULL, " ", &rest);
    }
    return joined(&words, " ");
}

/* Reads "~ N(0, 0.1)", the distribution of a matrix's initial entries, unless
   the declaration leaves it out. */
static void
read_initial(Reader *r, Declaration *d)
{
    if (!accept(r, "~"))
        return;
    expect(r, "N(", "after ~, as in ~ N(0, 0.1)");
    d->mean = read_sum(r);
    expect(r, ",", "between mean and standard deviation");
    d->deviation = read_sum(r);
    expect(r, ")", "to close the bracket");
}

/* Reads the rest of a matrix's declaration, after its ":", such as "d_model x
   d_k ~ N(0, 0.1)". The name began at `place`. */
static void
read_declaration(Reader *r, const char *name, const char *place)
{
    EquationText *e = r->equation;
    Declaration d = {.name = name, .place = place};
    if (declaration_of(e, name))
        equation_wrong(e, place,
                       "%s already has a shape: remove one of its declarations",
                       name);
    d.rows = read_factor(r);
    /* An x with a blank after it is not a factor, but the sign between rows and
       columns. */
    while (at_factor(r) && !begins_with(r->next, "x "))
        d.rows =
            tree_binary(TREE_PRODUCT, d.rows->place, d.rows, read_factor(r));
    expect(r, "x", "between rows and columns, as in d_model x d_k");
    d.cols = read_sum(r);
    read_initial(r, &d);
    e->declaration = grow(e->declaration, e->declarations,
                          &e->declaration_capacity, sizeof d);
    e->declaration[e->declarations] = d;
    e->declarations++;
}

/* Reads the rest of the line as plain words, and returns them interned. */
static const char *
rest_of_line(Reader *r)
{
    const char *words = line_words(r->next);
    r->next = r->end;
    return interned(words);
}

/* Reads the rest of a fact, after its "NAME:", which began at `place`. */
static void
read_fact(Reader *r, const char *name, const char *place)
{
    if (!strcmp(name, "family"))
        r->equation->family = rest_of_line(r);
    else if (!strcmp(name, "settings"))
        r->equation->settings = rest_of_line(r);
    else
        read_declaration(r, name, place);
}

/* Adds a definition after the others. The name NULL makes it the output. */
static void
add_definition(EquationText *e, const char *name, Tree *value)
{
    e->definition = grow(e->definition, e->definitions, &e->definition_capacity,
                         sizeof *e->definition);
    e->definition[e->definitions] = (Definition){name, value};
    e->definitions++;
}

/* Has the output been read? Only its definition has no name. */
static bool
has_output(const EquationText *e)
{
    return e->definitions > 0 && !e->definition[e->definitions - 1].name;
}

/* Reads a line: a fact, a definition or the output. It may also be empty. */
static void
read_line(Reader *r)
{
    skip_blanks(r);
    const char *place = r->next;
    if (place == r->end)
        return;
    EquationText *e = r->equation;
    if (has_output(e))
        equation_wrong(e, place,
                       "the line before this one has no name, so it is the "
                       "output: name it, or make it the last line");
    const char *name = name_length(place) ? read_name(r) : NULL;
    if (name && accept(r, ":"))
        read_fact(r, name, place);
    else if (name && accept(r, "="))
        add_definition(e, name, read_sum(r));
    else { /* the output, which may begin with the name: read that again */
        r->next = place;
        add_definition(e, NULL, read_sum(r));
    }
    skip_blanks(r);
    if (r->next < r->end)
        equation_wrong(e, r->next,
                       "expected an operator or the end of the line");
}

/* The text */

/* Exits if a line has a control character or is not UTF-8. Messages print parts
   of lines, and a terminal would obey control characters. */
static void
check_characters(const EquationText *e)
{
    int line_number = 1;
    for (const char *line = e->text; *line; line_number++) {
        size_t length = strcspn(line, "\n");
        if (!is_text(format_text("%.*s", (int)length, line)))
            fail("%s:%d: this line has a control character or is not UTF-8: "
                 "save it as plain UTF-8 text",
                 e->path, line_number);
        line += length;
        if (*line == '\n')
            line++;
    }
}

/* All lines of a text except family and settings, without comments, joined by
   "; " (EquationText.lines). */
static const char *
lines_of(const char *text)
{
    Values lines = {0};
    for (const char *line = text; *line; line = next_line(line)) {
        const char *words = line_words(line);
        bool family = begins_with(words, "family:");
        if (*words && !family && !begins_with(words, "settings:"))
            values_add(&lines, copy_text(words));
    }
    return interned(joined(&lines, "; "));
}

EquationText *
equation_read(const char *path, const char *text)
{
    EquationText *e = allocate(1, sizeof *e);
    bool has_mark = begins_with(text, BYTE_ORDER_MARK);
    char *copy = copy_text(has_mark ? text + strlen(BYTE_ORDER_MARK) : text);
    replace_in(copy, "\t\r", ' '); /* on Windows a line ends with \r\n */
    *e = (EquationText){
        .path = path, .text = copy, .family = "", .settings = ""};
    check_characters(e);
    e->lines = lines_of(e->text);
    if (strlen(e->lines) > MOST_CHARACTERS)
        fail("%s: the equation has %zu characters without its comments, and "
             "the limit is %d: use shorter names, or write it in C (qkv new)",
             path, strlen(e->lines), MOST_CHARACTERS);
    for (const char *line = e->text; *line; line = next_line(line)) {
        Reader r = {.equation = e, .next = line, .end = line_end(line)};
        read_line(&r);
    }
    if (!has_output(e))
        fail("%s: the equation has no output: end it with a line that has no "
             "\"NAME =\", such as softmax(...) y W_i^V W_i^O",
             path);
    return e;
}
