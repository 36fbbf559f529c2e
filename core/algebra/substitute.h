/* substitute.h - a variant's matrices, as products of another one's.

   A product is named by the shapes: going along the matrices of M_i, and of
   N_i, each of the one variant's is the next of the other's that has its shape,
   or the identity, or a product of several. A head takes the place of one of
   the other variant's heads, with its M_i and its N_i. What is named is only a
   proposal: equal.c runs both variants with it. */
#ifndef SUBSTITUTE_H
#define SUBSTITUTE_H

#include "algebra/spell.h"

/* Does the substitution that was just made do? */
typedef bool Accepts(void *more);

/* Sets the matrices of `to` to products of those of `from`, with its heads in
   one order after the other, until accepts(more); false if no order will do.
   Then `lines` is "W_i^Q := W^Q W_i^Q", a line for each matrix, and the heads
   of `from` are renumbered. */
bool substitute(Derived *from, Derived *to, Accepts *accepts, void *more,
                Values *lines);

#endif
