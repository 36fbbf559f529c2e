/* gauge.h - what training does in the directions that change nothing.

   (W^Q A) (W^K A^-T)' = W^Q W^K' for every invertible A, so the loss does not
   change along (W^Q X, -W^K X'), for any X. The gradient is at right angles to
   these directions, so under gradient flow W_Q' W_Q - W_K' W_K of each head
   stays what it was at the start, and so does W_V' W_V - W_O W_O' (Arora, Cohen
   and Hazan 2018, for linear networks). Steps of finite length, and other
   optimizers, move them.

   Both functions look at the pair W^Q, W^K of a place (which 0), or at W^V, W^O
   (1); they are NaN unless its form is M_i = W_i^Q W_i^K' and N_i = W_i^V W_i^O
   (algebra/derive.h), with nothing between or beside, and no two heads share a
   matrix. */
#ifndef GAUGE_H
#define GAUGE_H

#include "config/build_model.h"

/* How far the conserved matrices of all heads have moved since the weights
   `start`, relative to their norm then (Frobenius). */
double conserved_drift(const Model *m, int place, const real *start,
                       size_t which);

/* The share of the squared length of a step that is along the gauge. The step
   goes from the weights `before` to the present ones. */
double gauge_share(const Model *m, int place, const real *before, size_t which);

#endif
