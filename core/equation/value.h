/* value.h - finds the value of each part of an equation, in a walk over its
   tree. */
#ifndef EQUATION_VALUE_H
#define EQUATION_VALUE_H

#include "equation/builder.h"

/* What a part is in its equation: the output or a term of it, in which a last
   factor with the index i is an output map, which sums the heads; or any other
   part. */
typedef enum { INNER_PART, OUTPUT_TERM } Role;

/* The value of t, a part of the equation. Adds the steps that compute it. Exits
   with a message if t has no value. */
Value value_of(Builder *b, const Tree *t, Role role);

/* A copy of the scalar t, in which the names of definitions are replaced by
   their values. Exits if t is not a scalar. */
Tree *scalar_of(Builder *b, const Tree *t);

/* Is this the name of a function of equations, such as softmax? */
bool is_function(const char *name);

#endif
