/* parse.c - an equation as a paper writes it, read into a tree.

   The reader is a recursive descent: a function for each rule of the grammar in
   parse.h. It works on the text itself, line after line, and each node of the
   tree keeps the place where it begins. A message about the node, even a later
   one, can then show that line with a mark below the place. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "equation/parse.h"
#include "heart/plugin.h"

/* What an equation may have beyond ASCII, in UTF-8. `qkv derive` prints the two
   signs on a terminal. */
#define ROOT_SIGN       "\xe2\x88\x9a" /* a square root */
#define TRANSPOSE_SIGN  "\xe1\xb5\x80" /* a raised T */
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* some editors begin a file with it */

enum {
    MOST_CHARACTERS = 1000, /* of EquationText.lines: they become a word of a
                               run's config.tsv, which has at most 1023 */
    MOST_SHOWN = 72         /* characters of a line that a message shows */
};

/* Where the reader is: it has read the current line up to `next`. The line ends
   at `end`, where a newline, ";", "#" or the end of the text is. */
typedef struct Reader {
    EquationText *equation;
    const char *next, *end;
} Reader;

/* Messages */

/* Prints a line of the text, and a mark below `place`. Of a long line it shows
   only the part around the mark. */
static void
print_marked(const char *line, const char *place)
{
    int length = (int)strcspn(line, "\n"), mark = (int)(place - line), from = 0;
    if (length > MOST_SHOWN && mark > MOST_SHOWN / 2)
        from = mark - MOST_SHOWN / 2;
    int shown = length - from < MOST_SHOWN ? length - from : MOST_SHOWN;
    fprintf(stderr, "    %.*s\n    %*s^\n", shown, line + from, mark - from,
            "");
}

void
equation_wrong(const EquationText *e, const char *place, const char *format,
               ...)
{
    char message[MESSAGE / 2]; /* the other half is for path and line number */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    int number = 1;
    const char *line = e->text;
    for (const char *c = e->text; c < place; c++)
        if (*c == '\n') {
            number++;
            line = c + 1;
        }
    print_marked(line, place);
    fail("%s:%d: %s", e->path, number, message);
}

/* Trees */

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
tree_of(TreeKind kind, const char *place, Tree *first, Tree *second)
{
    Tree *t = tree_new(kind, place);
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

/* Reads this sign if it comes next, without a blank before it. Returns whether
   it did. */
static bool
accept_adjacent(Reader *r, const char *sign)
{
    if (r->next >= r->end || !begins_with(r->next, sign))
        return false;
    r->next += strlen(sign);
    return true;
}

/* The same for a sign that blanks may precede. */
static bool
accept(Reader *r, const char *sign)
{
    skip_blanks(r);
    return accept_adjacent(r, sign);
}

/* Reads this sign, or exits if it does not come next. `where` ends the message
   that begins with: expected "SIGN". */
static void
expect(Reader *r, const char *sign, const char *where)
{
    if (!accept(r, sign))
        equation_wrong(r->equation, r->next, "expected \"%s\" %s", sign, where);
}

/* The length of the name that the text begins with, such as W_i^Q or d_k; 0 if
   it begins with none. */
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

/* Reads sums with commas between them as operands of t, and then the sign that
   closes the list. */
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

/* Reads a number, a name, a call, a bracket or matrices side by side. */
static Tree *
read_primary(Reader *r)
{
    skip_blanks(r);
    const char *place = r->next;
    if (isdigit((unsigned char)*place))
        return read_number(r);
    if (name_length(place))
        return read_name_or_call(r);
    if (accept(r, ROOT_SIGN)) {
        Tree *root = tree_new(TREE_CALL, place);
        root->name = interned("sqrt");
        expect(r, "(", "after the root");
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

/* Reads "0 : d_k]", a range of the columns of t. */
static Tree *
read_columns(Reader *r, Tree *t)
{
    Tree *columns = tree_of(TREE_COLUMNS, t->place, t, read_sum(r));
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
        if (accept_adjacent(r, "'") || accept_adjacent(r, TRANSPOSE_SIGN))
            t = tree_of(TREE_TRANSPOSED, t->place, t, NULL);
        else if (accept_adjacent(r, "["))
            t = read_columns(r, t);
        else
            return t;
}

/* Does another factor follow, without a sign before it? */
static bool
at_factor(Reader *r)
{
    skip_blanks(r);
    if (r->next >= r->end)
        return false;
    bool sign = strchr("([", *r->next) || begins_with(r->next, ROOT_SIGN);
    return sign || isalnum((unsigned char)*r->next);
}

/* Reads factors, one after another, and divisors after "/". A single factor
   becomes no product: the same holds for the functions below. */
static Tree *
read_product(Reader *r)
{
    Tree *first = read_factor(r);
    Tree *product = tree_of(TREE_PRODUCT, first->place, first, NULL);
    for (;;)
        if (accept(r, "/")) {
            Tree *divisor = read_factor(r);
            tree_add(product,
                     tree_of(TREE_INVERSE, divisor->place, divisor, NULL));
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
    Tree *entries = tree_of(TREE_ENTRIES, first->place, first, NULL);
    while (accept(r, "."))
        tree_add(entries, read_product(r));
    return entries->count == 1 ? first : entries;
}

/* Reads a term after its sign. */
static Tree *
read_term(Reader *r, bool negative)
{
    Tree *t = read_entries(r);
    return negative ? tree_of(TREE_NEGATIVE, t->place, t, NULL) : t;
}

/* Reads terms with "+" or "-" between them. */
static Tree *
read_sum(Reader *r)
{
    bool negative = accept(r, "-");
    Tree *first = read_term(r, negative);
    Tree *sum = tree_of(TREE_SUM, first->place, first, NULL);
    for (;;)
        if (accept(r, "+"))
            tree_add(sum, read_term(r, false));
        else if (accept(r, "-"))
            tree_add(sum, read_term(r, true));
        else
            return sum->count == 1 ? first : sum;
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

/* The end of the line without its comment. */
static const char *
line_end(const char *line)
{
    return line + strcspn(line, ";#\n");
}

/* The line after this one and its comment; "" after the last. */
static const char *
next_line(const char *line)
{
    const char *end = line_end(line);
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
    char *word = strtok_r(copy, " ", &rest);
    while (word) {
        values_add(&words, copy_text(word));
        word = strtok_r(NULL, " ", &rest);
    }
    return joined(&words, " ");
}

/* Reads "~ N(0, 0.1)", if that follows the shape of a matrix. */
static void
read_initial(Reader *r, Declaration *d)
{
    if (!accept(r, "~"))
        return;
    expect(r, "N(", "as in N(0, 0.1): mean and standard deviation");
    d->mean = read_sum(r);
    expect(r, ",", "between mean and standard deviation");
    d->deviation = read_sum(r);
    expect(r, ")", "to close the bracket");
}

/* Reads "d_model x d_k", the shape of a matrix, and how its entries are
   initialised. The rows end before an x with a blank after it, which is the
   sign between rows and columns. */
static void
read_declaration(Reader *r, const char *name, const char *place)
{
    EquationText *e = r->equation;
    Declaration d = {.name = name, .place = place};
    if (declaration_of(e, name))
        equation_wrong(e, place,
                       "%s already has a shape: remove one of the two lines",
                       name);
    d.rows = read_factor(r);
    while (at_factor(r) && !begins_with(r->next, "x "))
        d.rows = tree_of(TREE_PRODUCT, d.rows->place, d.rows, read_factor(r));
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
    const char *words = line_words(r->next);
    r->next = r->end;
    return interned(words);
}

/* Reads what follows "NAME:" at `place`: the text after "family:" or
   "settings:", or the shape of the matrix NAME. */
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

static void
add_definition(EquationText *e, const char *name, Tree *value)
{
    e->definition = grow(e->definition, e->definitions, &e->definition_capacity,
                         sizeof *e->definition);
    e->definition[e->definitions] = (Definition){name, value};
    e->definitions++;
}

/* Has the line without a name been read? */
static bool
has_output(const EquationText *e)
{
    return e->definitions > 0 && !e->definition[e->definitions - 1].name;
}

/* Reads a line: a fact, a definition, the output or nothing. */
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
                       "the line before this has no name, so it is the output: "
                       "name it, or make it the last line");
    const char *name = name_length(place) ? read_name(r) : NULL;
    if (name && accept(r, ":"))
        read_fact(r, name, place);
    else if (name && accept(r, "="))
        add_definition(e, name, read_sum(r));
    else { /* the output: a name that was read is part of it */
        r->next = place;
        add_definition(e, NULL, read_sum(r));
    }
    skip_blanks(r);
    if (r->next < r->end)
        equation_wrong(e, r->next,
                       "expected an operator or the end of the line");
}

/* The text */

/* Exits if a line has control characters or is not UTF-8: messages print parts
   of it, and a terminal would obey them. */
static void
check_characters(const EquationText *e)
{
    int number = 1;
    for (const char *line = e->text; *line; number++) {
        size_t length = strcspn(line, "\n");
        if (!is_text(format_text("%.*s", (int)length, line)))
            fail("%s:%d: this line has a control character or is not UTF-8: "
                 "write it as plain text in UTF-8",
                 e->path, number);
        line += length;
        if (*line == '\n')
            line++;
    }
}

/* The text as EquationText.lines has it. */
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
    replace_in(copy, "\t\r", ' '); /* a line of Windows ends with \r\n */
    *e = (EquationText){
        .path = path, .text = copy, .family = "", .settings = ""};
    check_characters(e);
    e->lines = lines_of(e->text);
    if (strlen(e->lines) > MOST_CHARACTERS)
        fail("%s: the equation has %zu characters, but may have at most %d "
             "characters besides comments: use shorter names, or C (qkv new)",
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
