/* builder.h - what is known while the tree of an equation is turned into the
   steps of its plan.

   A walk over the tree (value.c) finds the value of each part of the equation.
   It applies the part's operator to the values of its operands (operation.c),
   which adds the steps that compute the result. */
#ifndef BUILDER_H
#define BUILDER_H

#include "equation/steps.h"

/* The sort of a value. SCALAR is a number, such as 1 / sqrt(d_k). TOKENS are a
   matrix with a row for each token. SCORES are a number for each query and key,
   or the attention weights that are computed from these. MATRIX is made only of
   matrices of the variant. SLICE is I_i, which takes the columns of a token
   that belong to head i. */
typedef enum { SCALAR, TOKENS, SCORES, MATRIX, SLICE } Sort;

/* The value of a part. A value without heads has one block of rows and columns;
   otherwise each head has a block of the same size. */
typedef struct Value {
    Sort sort;
    Tree *scalar;    /* of SCALAR: the number */
    int step;        /* of TOKENS, SCORES, MATRIX: the step that computes it */
    Tree *heads;     /* the number of heads; NULL: it has no heads */
    Width *rows;     /* of MATRIX: the rows of a block */
    Width *width;    /* the columns of a block */
    bool transposed; /* whether it is the transpose of what `step` computes */
    bool masked;     /* of SCORES: whether masked entries are already 0 */
    const char *place; /* where the part begins in the text, for messages */
} Value;

typedef struct Builder {
    Plan *plan;
    const EquationText *text;
    Value *defined; /* the values of the definitions so far */
    int defined_count;
    bool *used; /* for each definition, whether a later line names it */
} Builder;

/* refuse(b, place, format, ...) exits with a message, and marks the place in
   its line. */
#define refuse(b, ...) equation_wrong((b)->text, __VA_ARGS__)

#endif
