/* value.h - the walk over the tree of an equation. */
#ifndef EQUATION_VALUE_H
#define EQUATION_VALUE_H

#include "equation/builder.h"

/* The value of t, a part of the equation. `output` says whether t is the output
   itself: then its last matrix with an index i leads back from the heads. */
Value value_of(Builder *b, const Tree *t, bool output);

/* The scalar t, with the values of definitions instead of their names. Exits if
   t is no scalar. */
Tree *number_of(Builder *b, const Tree *t);

/* Is it the name of a function, such as softmax? */
bool is_function(const char *name);

#endif
