/* matrices.h - the matrices of an equation: their names, shapes and order.

   A name may have an index. With the index i, the matrix has a block for each
   head (W_i^Q); with the index g, it has one for each group of heads (W_g^K).
   All blocks are stored as one matrix. */
#ifndef EQUATION_MATRICES_H
#define EQUATION_MATRICES_H

#include "equation/builder.h"

/* The index of a name: 'i' for W_i^Q, 'g' for W_g^K, 0 for W^Q. */
char index_of(const char *name);

/* The number of blocks that an index stands for: h if it is 'i', g if it is
   'g', NULL if it is 0. */
Tree *heads_of_index(char index);

/* The matrix that the plan uses under this interned name; NULL if there is
   none. */
PlanWeight *used_weight(const Plan *p, const char *name);

/* Returns the index in Plan.weight of the matrix with this interned name. Adds
   the matrix first if the plan does not have it yet. */
int find_or_add_weight(Builder *b, const char *name);

/* Sets PlanWeight.stored of every matrix. */
void name_weights(Plan *p);

/* Sets Plan.order. The widths must be known (choose_default_width). */
void order_weights(Plan *p);

/* The numbers of rows and columns of the stored matrix at the sizes of `a`.
   Both functions exit unless the number is whole and at least 1. */
int stored_rows(const Plan *p, const PlanWeight *w, const Attention *a);
int stored_cols(const Plan *p, const PlanWeight *w, const Attention *a);

#endif
