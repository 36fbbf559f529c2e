/* value.h - finds the value of each part of an equation, in a walk over its
   tree. */
#ifndef EQUATION_VALUE_H
#define EQUATION_VALUE_H

#include "equation/builder.h"

/* The role of a part in its equation. OUTPUT_TERM is the output or, if that is
   a sum or a product entry by entry, one of its terms. If the last factor of
   such a term is a matrix with the index i, and the other factors make heads,
   the matrix is an output map, which sums the heads. INNER_PART is any other
   part. */
typedef enum { INNER_PART, OUTPUT_TERM } Role;

/* Returns the value of t, a part of the equation, and adds the steps that
   compute it to the plan. Exits with a message if t has no value, for example
   because its operands do not suit its operator. */
Value value_of(Builder *b, const Tree *t, Role role);

/* A copy of the scalar t, with each name of a definition replaced by its value.
   Exits if t is not a scalar. */
Tree *scalar_of(Builder *b, const Tree *t);

#endif
