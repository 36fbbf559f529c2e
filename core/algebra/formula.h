/* formula.h - how many parameters are gauge at shapes too large to measure.

   The gauge of a variant is the parameters that it uses less the real ones. It
   is a sum of terms, the dimensions of the groups of changes that leave the
   function as it is. These are of a few kinds:

       h k^2, g k^2    GL(k), an invertible matrix between W^Q and W^K' of each
                       head, or of each group of heads that share a key; in the
                       same way GL(v) between W^V and W^O, and GL(r) at a latent
       k (k - 1) / 2   O(k), a rotation, if one matrix is both W^Q and W^K, or a
                       norm is between them
       h k             a number for each column, as of a gain; or a complex
                       number for each pair of columns that is rotated; or a
                       bias that has no effect
       h, 1            a scale of each head, or of all

   So it is a polynomial with integer or half-integer coefficients, in which
   each term is 1, h or g times 1, a width or its square. It is fitted to small
   shapes whose widths are in the same order as those of the wanted shape, and
   believed only if it is right at others. (A width
   that is above both of its neighbours in a chain of products adds products of
   two widths, so there the fit fails.)
   A variant's own settings are among the widths if its matrices have that size;
   the others are fixed at their values. */
#ifndef FORMULA_H
#define FORMULA_H

#include <stdbool.h>

#include "config/find_plugin.h"

typedef struct Formula {
    bool holds;   /* false if no formula was found; then the other fields are
                     not set */
    double gauge; /* at the wanted shape, in all its layers */
    int fitted, checked; /* the numbers of small shapes to which it was fitted,
                            and at which it was checked */
    char *text; /* "h v^2 + h k^2": the gauge of one layer, or of all together
                   if a layer uses what another one remembered; never freed */
} Formula;

/* The formula of v at a. `used` is how many parameters all a.layers blocks use
   (cost.h): a formula that gives more gauge than this does not hold. */
Formula formula_of(const Variant *v, Attention a, double used);

#endif
