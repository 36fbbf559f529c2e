/* matrices.h - the matrices of an equation: their names, shapes and order.

   A name may have an index, i or g. Then the matrix has a block for each head,
   as W_i^Q does, or for each group of heads, as W_g^K does. All its blocks are
   stored as one matrix. */
#ifndef EQUATION_MATRICES_H
#define EQUATION_MATRICES_H

#include "equation/builder.h"

/* The index of a name: 'i' for W_i^Q, 'g' for W_g^K, 0 for W^Q. */
char index_of(const char *name);

/* The number of blocks that an index stands for: h if it is 'i', g if it is
   'g', NULL if it is 0. */
Tree *heads_of_index(char index);

/* The plan's matrix with this interned name, or NULL if it has none. */
PlanWeight *used_weight(const Plan *p, const char *name);

/* The index in Plan.weight of the matrix with this name, which is added if the
   plan does not have it yet. */
int find_or_add_weight(Builder *b, const char *name);

/* Sets PlanWeight.stored of every matrix. */
void name_weights(Plan *p);

/* Sets Plan.order. The widths must be known (choose_default_width). */
void order_weights(Plan *p);

/* The rows and columns of the stored matrix at the sizes of `a`. Exit unless
   they are whole numbers. */
int stored_rows(const Plan *p, const PlanWeight *w, const Attention *a);
int stored_cols(const Plan *p, const PlanWeight *w, const Attention *a);

#endif
