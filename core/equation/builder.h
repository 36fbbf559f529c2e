/* builder.h - turns the tree of an equation into the steps of its plan.

   A walk over the tree (value.c) finds the value of each part, and then applies
   the part's operator to these values (operation.c), which adds the steps that
   compute the result. */
#ifndef BUILDER_H
#define BUILDER_H

#include "equation/steps.h"

/* What a part of an equation is: a SCALAR, such as 1 / sqrt(d_k); TOKENS, a
   matrix with a row for each token; SCORES, a number for each pair of query and
   key, or the attention weights computed from them; a MATRIX, made only of
   matrices of the variant; or the SLICE I_i, the columns of a token that belong
   to head i. */
typedef enum { SCALAR, TOKENS, SCORES, MATRIX, SLICE } Sort;

typedef struct Value {
    Sort sort;
    Tree *scalar;    /* of SCALAR: the scalar */
    int step;        /* of TOKENS, SCORES, MATRIX: the step that computes it */
    Tree *heads;     /* the number of heads; NULL: it has no heads */
    Width *rows;     /* of MATRIX: the rows of a head's block */
    Width *width;    /* the columns of a head */
    bool transposed; /* the value is the transpose of what `step` computes */
    bool masked;     /* of SCORES: whether masked entries are already 0 */
    const char *place; /* where the value begins in the text, for messages */
} Value;

typedef struct Builder {
    Plan *plan;
    const EquationText *text;
    Value *defined; /* the values of the first defined_count definitions */
    int defined_count;
    bool *used; /* for each definition, whether a later line names it */
} Builder;

/* refuse(b, place, format, ...) exits with a message and a mark below that
   place. */
#define refuse(b, ...) equation_wrong((b)->text, __VA_ARGS__)

#endif
