/* builder.h - from the tree of an equation to the steps of its plan.

   A walk over the tree (value.c) asks for the value of each part, and then for
   what an operator makes of these values (operation.c), which adds the steps
   that compute it. */
#ifndef BUILDER_H
#define BUILDER_H

#include "equation/steps.h"

/* What a part of an equation is: a number; a matrix with a row for each token;
   scores, or the weights made of them; a matrix of the variant; or I_i, the
   columns of a token that belong to head i. */
typedef enum { NUMBERS, TOKENS, SCORES, MATRIX, SLICE } Sort;

typedef struct Value {
    Sort sort;
    Tree *number; /* of NUMBERS: its value */
    int step;     /* of others: the step that computes it */
    Tree *heads;  /* how many; NULL: one */
    Width *rows;  /* of MATRIX */
    Width *width; /* the columns of a head */
    bool transposed;
    bool masked;    /* of SCORES: what the mask hides is 0 already */
    const char *at; /* in the text */
} Value;

typedef struct Builder {
    Plan *plan;
    const EquationText *text;
    Value *defined; /* those of the definitions so far */
    int count;
    bool *used; /* has the definition been named? */
} Builder;

#endif
