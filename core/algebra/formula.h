/* formula.h - how many parameters are gauge at shapes too large to measure.

   Gauge, the parameters used less the real ones, is a sum over the groups that
   leave the function as it is. Their sizes are of a few kinds:

       h k^2, g k^2    GL(k), an invertible matrix between W^Q and W^K' of each
                       head, or of each group of heads that share a key; GL(v)
                       between W^V and W^O, and GL(r) behind a latent, likewise
       k (k - 1) / 2   O(k), where one matrix is both, or a norm is between them
       h k             a number for each column, as of a gain; or a complex one
                       for each pair of columns that is rotated; or a bias that
                       has no function
       h, 1            a scale of each head, or of all

   So it is a polynomial with integer or half-integer coefficients, in which
   each term is 1, h or g times 1, a width or its square. It is fitted to small
   shapes whose widths are in the same order as those asked for, and believed
   only if it is right on others. (A width that is above both of its
   neighbours adds products of two widths, and so gets no formula.)
   A variant's own settings are among the widths if its matrices have that size;
   the others are fixed at their values. */
#ifndef FORMULA_H
#define FORMULA_H

#include <stdbool.h>

#include "config/find_plugin.h"

typedef struct Formula {
    bool holds;
    double gauge;        /* at the wanted shape, in all its layers */
    int fitted, checked; /* how many small shapes it was fitted to, and checked
                            on */
    char *text;          /* "h v^2 + h k^2": for each layer, or for all together
                            if a layer uses what another one computed; it is
                            never freed */
} Formula;

/* The formula of v at a. `used` is how many parameters all a.layers blocks use
   (cost.h): a formula that gives more gauge than this does not hold. */
Formula formula_of(const Variant *v, Attention a, double used);

#endif
