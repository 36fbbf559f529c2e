/* substitute.h - a variant's matrices, as products of another one's.

   The products follow from shapes. Along the matrices of M_i, and in the same
   way of N_i, each matrix of one variant becomes the other variant's next
   matrix of its shape, or the identity, or a product of several. Each head
   takes the place of one of the other variant's heads, with its M_i and its
   N_i. The result is only a proposal: equal.c runs both variants with it. */
#ifndef SUBSTITUTE_H
#define SUBSTITUTE_H

#include "algebra/print_form.h"

/* Is the substitution that was just made accepted? */
typedef bool Accepts(void *more);

/* Sets the matrices of `to` to products of the matrices of `from`. It tries the
   heads of `from` in one order after the other until accepts(more) is true, and
   returns false if it never is. On success adds a line for each matrix to
   `lines`, "W_i^Q := W^Q W_i^Q", and renumbers the heads of `from`. */
bool substitute(Derived *from, Derived *to, Accepts *accepts, void *more,
                Values *lines);

#endif
