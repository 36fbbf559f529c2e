/* substitute.h - a variant's matrices, as products of another one's.

   The products follow from shapes. Along the matrices of M_i, and along those
   of N_i, each matrix of one variant becomes the next of the other's that has
   its shape, or the identity, or a product of several. Each head takes the
   place of one of the other variant's heads, with its M_i and its N_i. The
   result is only a proposal: equal.c runs both variants with it. */
#ifndef SUBSTITUTE_H
#define SUBSTITUTE_H

#include "algebra/spell.h"

/* Is the substitution that was just made accepted? */
typedef bool Accepts(void *more);

/* Sets the matrices of `to` to products of those of `from`, trying its heads in
   one order after the other, until accepts(more); returns false if no order is
   accepted. On success adds a line for each matrix to `lines`, "W_i^Q := W^Q
   W_i^Q", and renumbers the heads of `from`. */
bool substitute(Derived *from, Derived *to, Accepts *accepts, void *more,
                Values *lines);

#endif
