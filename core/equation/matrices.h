/* matrices.h - the matrices of an equation: their names, shapes and order. */
#ifndef EQUATION_MATRICES_H
#define EQUATION_MATRICES_H

#include "equation/builder.h"

/* 'i' of W_i^Q, 'g' of W_g^K, 0 of W^Q: the index of a name. */
char index_of(const char *name);
Tree *heads_of_index(char index);
const Declaration *declaration_of(const EquationText *e, const char *name);

/* The number of the matrix of that name, which is new if it was not named
   before. */
int weight_of(Builder *b, const char *name, const char *at);

void name_weights(Plan *p);
void order_weights(Plan *p);

/* Rows and columns of the stored matrix; exits if they are no whole numbers. */
int stored_rows(const Plan *p, const PlanWeight *w, const Attention *a);
int stored_cols(const Plan *p, const PlanWeight *w, const Attention *a);

#endif
