/* value.h - the walk over the tree of an equation. */
#ifndef EQUATION_VALUE_H
#define EQUATION_VALUE_H

#include "equation/builder.h"

/* The value of t, a part of the equation, whose steps it adds. If `is_output`,
   t is the output or a term of it: then its last matrix with an index i is an
   output map, which sums the heads. Exits with a message if t has no value. */
Value value_of(Builder *b, const Tree *t, bool is_output);

/* The scalar t, with the values of definitions instead of their names. Exits if
   t is no scalar. */
Tree *scalar_of(Builder *b, const Tree *t);

/* Is it the name of a function, such as softmax? */
bool is_function(const char *name);

#endif
