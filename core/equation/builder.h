/* builder.h - from the tree of an equation to the steps of its plan.

   A walk over the tree (value.c) finds the value of each part, and then applies
   its operator to these values (operation.c), which adds the steps
   that compute it. */
#ifndef BUILDER_H
#define BUILDER_H

#include "equation/steps.h"

/* The sort of a part of an equation: a number; a matrix with a row for each
   token; scores, or the weights computed from them; a matrix of the variant; or
   I_i, the columns of a token that belong to head i. */
typedef enum { NUMBERS, TOKENS, SCORES, MATRIX, SLICE } Sort;

typedef struct Value {
    Sort sort;
    Tree *number; /* the value, if it is a number */
    int step;     /* otherwise the step that computes it */
    Tree *heads;  /* the number of heads; NULL: one */
    Width *rows;  /* of a MATRIX */
    Width *width; /* the columns of a head */
    bool transposed;
    bool masked;    /* of SCORES: are masked entries 0 already? */
    const char *at; /* its place in the text */
} Value;

typedef struct Builder {
    Plan *plan;
    const EquationText *text;
    Value *defined; /* the values of the first `count` definitions */
    int count;
    bool *used; /* for each definition, whether a later line names it */
} Builder;

/* Exits with a message about the place `at` in the text (equation_wrong). */
#define refuse(b, ...) equation_wrong((b)->text, __VA_ARGS__)

#endif
