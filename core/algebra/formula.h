/* formula.h - how many parameters are gauge at shapes too large to measure.

   The gauge of a variant is the number of parameters that it uses minus the
   number of real ones. It is a sum of terms. Each term is the dimension of a
   group of changes of the parameters that do not change the function. There are
   a few kinds of terms:

       h k^2, g k^2    GL(k), an invertible matrix between W^Q and W^K' of each
                       head, or of each group of heads that share a key (so are
                       GL(v) between W^V and W^O, and GL(r) at a latent)
       k (k - 1) / 2   O(k), a rotation, if one matrix is both W^Q and W^K, or a
                       norm is between them
       h k             a number for each column, as of a gain; or a complex
                       number for each pair of columns that is rotated; or a
                       bias that has no effect
       h, 1            a scale of each head, or of all heads

   So the gauge is a polynomial with integer or half-integer coefficients, in
   which each term is 1, h or g times 1, a width or its square. It is fitted to
   small shapes whose widths are in the same order as the widths of the wanted
   shape, and believed only if it is right at other small shapes. (If a width is
   larger than both of its neighbours in a chain of products, there are terms
   with products of two widths, and the fit fails.) A variant's own setting is
   one of the widths if it changes the sizes of matrices; any other setting
   keeps its value. */
#ifndef FORMULA_H
#define FORMULA_H

#include <stdbool.h>

#include "config/find_plugin.h"

typedef struct Formula {
    bool holds;   /* false if no formula was found; then the other fields have
                     no meaning */
    double gauge; /* its value at the wanted shape, for all layers */
    int fitted, checked; /* the number of small shapes to which it was fitted,
                            and of those at which it was checked */
    char *text; /* such as "h v^2 + h k^2", for one layer, or for all layers
                   together if one uses what another remembered; never freed */
} Formula;

/* The formula of v at a. All a.layers blocks together use `used` parameters
   (cost.h); a formula that gives more gauge than that does not hold. */
Formula formula_of(const Variant *v, Attention a, double used);

#endif
