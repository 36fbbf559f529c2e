/* substitute.h - a variant's matrices, as products of another one's.

   A product is named by the shapes: going along the matrices of M_i, and of
   N_i, each of the one variant's is the next of the other's that has its shape,
   or the identity, or a product of several. What was named is put in, and is to
   be believed only if the probe then finds the other one's form
   (derived_apart). */
#ifndef SUBSTITUTE_H
#define SUBSTITUTE_H

#include "algebra/spell.h"

/* "W_i^Q := W^Q W_i^Q", a line for each matrix of `to`, whose values it sets.
 */
Values substitution(const Derived *from, Derived *to);

#endif
