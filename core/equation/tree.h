/* tree.h - an equation as a paper writes it, read into a tree.

   A file NAME.eq holds an equation of one line or several:

       # DeepSeek-V2, section 2.1.2
       W^DKV: d_model x latent
       c = y W^DKV
       softmax(x W_i^Q (c W_i^UK)' / sqrt(d_k)) c W_i^UV W_i^O

   The grammar, in which a factor that follows another one multiplies it:

       line    = NAME ":" fact | NAME "=" sum | sum
       sum     = ["-"] entries { ("+" | "-") entries }
       entries = product { "." product }           entry by entry
       product = factor { ["/"] factor }
       factor  = primary { "'" | "[" sum ":" sum "]" }
       primary = NUMBER | NAME | NAME "(" list ")" | "(" sum ")" | "[" list "]"
       list    = sum { "," sum }

   A line ends with ";", too, and a comment begins with "#". A "(" belongs to
   the name before it, and a "[" with a ":" to the factor before it, only if no
   blank is between. */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>

#include "heart/fail.h"

typedef enum {
    TREE_NUMBER,
    TREE_NAME,
    TREE_CALL,    /* name(of[0], of[1], ...) */
    TREE_PRODUCT, /* of its factors, from left to right */
    TREE_INVERSE, /* a factor of a product that divides it */
    TREE_SUM,
    TREE_NEGATIVE,
    TREE_ENTRIES,    /* products entry by entry */
    TREE_TRANSPOSED, /* of[0]' */
    TREE_COLUMNS,    /* of[0][of[1] : of[2]] */
    TREE_JOINED      /* [of[0], of[1], ...], side by side */
} TreeKind;

typedef struct Tree {
    TreeKind kind;
    const char *name; /* interned */
    double number;
    struct Tree **of;
    int count, capacity;

    const char *at; /* where it begins in the text */
} Tree;

/* NAME = value. The output, which is the last line, has no name. */
typedef struct Definition {
    const char *name;
    Tree *value;
} Definition;

/* "W^Q: d_model x d_k", the shape of a matrix, or of a head's block of it. If
   "~ N(mean, deviation)" follows, its entries are initialised so. */
typedef struct Declaration {
    const char *name, *at;
    Tree *rows, *cols;
    Tree *mean, *deviation; /* NULL: the usual ones */
} Declaration;

/* A text that has been read. It is never freed. */
typedef struct EquationText {
    const char *path, *text;
    const char *lines; /* the equation's, as Variant.equation has them */
    const char *family, *settings; /* "" unless a line has them */
    Definition *definition;
    Declaration *declaration;
    int definitions, declarations;
    int definition_capacity, declaration_capacity;
} EquationText;

/* Reads a text; messages call it `path`. If something is wrong, exits with a
   message and a mark below the place. */
EquationText *equation_read(const char *path, const char *text);

/* Exits: prints the line of the text that has `at`, with a mark there. */
_Noreturn void equation_wrong(const EquationText *e, const char *at,
                              const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* New nodes, for scalars that are computed from others. */
Tree *tree_name(const char *name);
Tree *tree_number(double number);
Tree *tree_of(TreeKind kind, const char *at, Tree *first, Tree *second);
void tree_add(Tree *t, Tree *operand);

/* Is it a call of that function? */
bool tree_calls(const Tree *t, const char *name);

#endif
