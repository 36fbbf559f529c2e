/* substitute.h - sets one variant's matrices to products of another's.

   The products follow from the shapes of the matrices. Each variant's M_i and
   N_i are made of chains of its matrices (terms.h). Along a chain, each matrix
   of the variant `to` becomes the next matrix of `from` if their shapes are
   equal, and otherwise the identity or a product of several matrices. Each head
   of `to` gets the M_i and the N_i of one head of `from`. The result is only a
   proposal: equal.c runs both variants with it. */
#ifndef SUBSTITUTE_H
#define SUBSTITUTE_H

#include "algebra/print_form.h"

/* Returns whether the substitution that was just made is accepted. `more` is
   the argument `more` of substitute. */
typedef bool Accepts(void *more);

/* Sets the matrices of `to` to products of the matrices of `from`. Tries one
   order of the heads of `from` after another until accepts(more) returns true,
   and returns false if it never does. On success adds a line for each matrix to
   `lines`, "W_i^Q := W^Q W_i^Q", and renumbers the heads of `from` in the
   accepted order. */
bool substitute(Derived *from, Derived *to, Accepts *accepts, void *more,
                Values *lines);

#endif
