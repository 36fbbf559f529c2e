/* matrices.h - the matrices of an equation: their names, shapes and order. */
#ifndef EQUATION_MATRICES_H
#define EQUATION_MATRICES_H

#include "equation/builder.h"

/* The index of a name: 'i' for W_i^Q, 'g' for W_g^K, 0 for W^Q. heads_of_index
   returns how many heads an index runs over, NULL for index 0. */
char index_of(const char *name);
Tree *heads_of_index(char index);
const Declaration *declaration_of(const EquationText *e, const char *name);

/* The number of the matrix of that name. A new one is added if the plan has
   none. */
int weight_of(Builder *b, const char *name, const char *at);

void name_weights(Plan *p);
void order_weights(Plan *p);

/* The rows and columns of the stored matrix; exit unless they are whole
   numbers. */
int stored_rows(const Plan *p, const PlanWeight *w, const Attention *a);
int stored_cols(const Plan *p, const PlanWeight *w, const Attention *a);

#endif
