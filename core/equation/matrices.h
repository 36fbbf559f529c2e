/* matrices.h - the matrices of an equation: their names, shapes and order. */
#ifndef EQUATION_MATRICES_H
#define EQUATION_MATRICES_H

#include "equation/builder.h"

/* The index of a name: 'i' for W_i^Q, which has a block for each head, 'g' for
   W_g^K, which has one for each group of heads, 0 for W^Q. */
char index_of(const char *name);

/* The number of heads that an index runs over: h for 'i', g for 'g', NULL for
   0. */
Tree *heads_of_index(char index);

/* The matrix that the equation calls by this interned name, if it has been
   used; otherwise NULL. */
PlanWeight *used_weight(const Plan *p, const char *name);

/* The index in Plan.weight of the matrix that the equation calls `name`. Adds
   it if the plan does not have it. */
int weight_of(Builder *b, const char *name, const char *place);

/* Set PlanWeight.stored of every matrix, and Plan.order. The widths must be
   known (choose_default_width). */
void name_weights(Plan *p);
void order_weights(Plan *p);

/* The rows and columns of the stored matrix; exit unless they are whole
   numbers. */
int stored_rows(const Plan *p, const PlanWeight *w, const Attention *a);
int stored_cols(const Plan *p, const PlanWeight *w, const Attention *a);

#endif
