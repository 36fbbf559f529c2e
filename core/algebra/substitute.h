/* substitute.h - a variant's matrices, as products of another one's.

   The products follow from shapes. Along the chain of matrices of M_i, and
   along that of N_i, each matrix of one variant becomes the other variant's
   next matrix of its shape, or the identity, or a product of several. Each head
   gets the M_i and the N_i of one of the other variant's heads. The result is
   only a proposal: equal.c runs both variants with it. */
#ifndef SUBSTITUTE_H
#define SUBSTITUTE_H

#include "algebra/print_form.h"

/* Returns whether the substitution that was just made is accepted. `more` is
   the argument of substitute with that name. */
typedef bool Accepts(void *more);

/* Sets the matrices of `to` to products of the matrices of `from`. It tries the
   heads of `from` in one order after the other until accepts(more) is true, and
   returns false if it never is. On success adds a line for each matrix to
   `lines`, "W_i^Q := W^Q W_i^Q", and renumbers the heads of `from` in the order
   that was accepted. */
bool substitute(Derived *from, Derived *to, Accepts *accepts, void *more,
                Values *lines);

#endif
