/* parse.h - an equation as a paper writes it, read into a tree.

   A file NAME.eq holds an equation of one line or several:

       # DeepSeek-V2, section 2.1.2
       W^DKV: d_model x latent
       c = y W^DKV
       softmax(x W_i^Q (c W_i^UK)' / sqrt(d_k)) c W_i^UV W_i^O

   A line is a fact ("W^DKV: ..."), a definition ("c = ...") or the output,
   which comes last. The grammar, in which two factors without a sign between
   them are multiplied:

       line    = fact | NAME "=" sum | sum
       fact    = NAME ":" factor { factor } "x" sum
                 [ "~" "N(" sum "," sum ")" ]
               | "family:" TEXT | "settings:" TEXT
       sum     = ["-"] entries { ("+" | "-") entries }
       entries = product { "." product }           entry by entry
       product = factor { ["/"] factor }
       factor  = primary { "'" | "[" sum ":" sum "]" }
       primary = NUMBER | NAME | NAME "(" list ")" | "(" sum ")" | "[" list "]"
       list    = sum { "," sum }

   A raised T may be written instead of "'", and the root sign instead of the
   name sqrt.

   A ";" ends a line as a newline does, and "#" begins a comment. Blanks matter
   in four cases. A "(" directly after a name makes it a call. A "[" directly
   after a factor selects columns of it. A "'" must directly follow its factor.
   The "x" between rows and columns needs a blank after it. */
#ifndef PARSE_H
#define PARSE_H

#include <stdbool.h>

#include "heart/fail.h"

typedef enum {
    TREE_NUMBER,
    TREE_NAME,
    TREE_CALL,    /* name(operand[0], operand[1], ...) */
    TREE_PRODUCT, /* its operands, multiplied from left to right */
    TREE_INVERSE, /* the factor 1 / operand[0] of a product */
    TREE_SUM,
    TREE_NEGATIVE,   /* the term -operand[0] of a sum */
    TREE_ENTRIES,    /* its operands, multiplied entry by entry */
    TREE_TRANSPOSED, /* operand[0]' */
    TREE_COLUMNS,    /* some columns of a factor: OF[FROM : END] */
    TREE_JOINED      /* [operand[0], operand[1], ...], side by side */
} TreeKind;

/* The indices of OF, FROM and END in Tree.operand of a TREE_COLUMNS. */
enum { RANGE_OF, RANGE_FROM, RANGE_END };

typedef struct Tree {
    TreeKind kind;
    const char *name; /* of TREE_NAME and TREE_CALL; interned, so equal names
                         are equal pointers */
    double number;    /* of TREE_NUMBER */
    struct Tree **operand;
    int count, capacity; /* of operands */

    const char *place; /* where this part begins in the text; NULL if tree_name
                          or tree_number made the tree */
} Tree;

/* The line "name = value". In the last line, which is the output, `name` is
   NULL. */
typedef struct Definition {
    const char *name;
    Tree *value;
} Definition;

/* The line "W^Q: d_model x d_k ~ N(0, 0.1)". It gives the shape of a matrix or,
   if the name has an index, of one head's block of the matrix. It may also give
   the mean and standard deviation of the initial entries; both are NULL if it
   does not. */
typedef struct Declaration {
    const char *name, *place;
    Tree *rows, *cols;
    Tree *mean, *deviation;
} Declaration;

/* An equation that has been read. It is never freed. */
typedef struct EquationText {
    const char *path;  /* for messages */
    const char *text;  /* the whole text */
    const char *lines; /* Variant.equation: all lines except family and
                          settings, without comments, joined by "; " */
    const char *family, *settings; /* "" if no line gives them */
    Definition *definition;
    Declaration *declaration;
    int definitions, declarations;
    int definition_capacity, declaration_capacity;
} EquationText;

/* Reads the text of an equation, which may begin with a byte order mark and
   have the line ends of Windows. Messages call the text `path`. If the text
   breaks the grammar, exits with a message, which shows the line with a mark
   below the place. */
EquationText *equation_read(const char *path, const char *text);

/* The declaration of the matrix with this interned name; NULL if it has none.
 */
const Declaration *declaration_of(const EquationText *e, const char *name);

/* Prints the line that `place` points into, with a mark below that place. Then
   exits with the message. */
_Noreturn void equation_wrong(const EquationText *e, const char *place,
                              const char *format, ...) PRINTF(3, 4);

/* These make new trees: a name, a number, and a tree with one or two operands.
 */
Tree *tree_name(const char *name);
Tree *tree_number(double number);
Tree *tree_unary(TreeKind kind, const char *place, Tree *operand);
Tree *tree_binary(TreeKind kind, const char *place, Tree *first, Tree *second);

/* Adds an operand after the others. */
void tree_add(Tree *t, Tree *operand);

/* Is t a call of this function? */
bool tree_calls(const Tree *t, const char *function);

/* Is t a number written with digits, and equal to x? */
bool tree_is_number(const Tree *t, double x);

#endif
