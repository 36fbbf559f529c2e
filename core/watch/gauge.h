/* gauge.h - how far training moves along directions that change nothing.

   (W^Q A) (W^K A^-T)' = W^Q W^K' for every invertible A, so the loss does not
   change along (W^Q X, -W^K X'), for any X. The gradient is at right angles to
   these directions, so under gradient flow W_Q' W_Q - W_K' W_K of each head
   stays what it was at the start, and so does W_V' W_V - W_O W_O' (Arora, Cohen
   and Hazan 2018, for linear networks). Steps of finite length, and other
   optimizers, move them. The conserved matrix is symmetric, so it has only
   k (k + 1) / 2 of the gauge's k^2 dimensions: W_Q can turn along the rest. */
#ifndef GAUGE_H
#define GAUGE_H

#include "algebra/derive.h"
#include "algebra/svd.h"

/* The pairs of a place, W_i^Q and W_i^K or W_i^V and W_i^O', one for each head.
   There are none unless the place has exactly the form M_i = W_i^Q W_i^K' and
   N_i = W_i^V W_i^O (algebra/derive.h) and no two heads share a matrix. */
typedef struct Pairs {
    Matrix *q, *k; /* the model's weights; the caller frees q */
    int count;
} Pairs;

/* The pairs W^Q, W^K of a place (M_PIECE), or its pairs W^V, W^O' (N_PIECE). */
Pairs gauge_pairs(const Model *m, int place, int piece);

/* Finds the part (Q X, -K X') of a step (dQ, dK) that is along the gauge, and
   returns its squared length. X and C = Q' dQ - dK' K are k x k, and X solves
   Q'Q X + X K'K = C. a and b are the decompositions of Q'Q and of K'K. */
double along_gauge(double *x, const Svd *a, const Svd *b, const double *c);

/* Squared lengths (Frobenius) of four matrices, summed over all heads; and a
   mean over the heads. */
typedef struct GaugeMove {
    double conserved; /* W_Q' W_Q - W_K' W_K before the step */
    double change;    /* the change of that matrix */
    double step;      /* the step */
    double along;     /* the part of the step along the gauge */
    double by_chance; /* the share of `along` in a step of random direction */
} GaugeMove;

/* Measures the step from the weights `before` to the present ones, for the
   pairs of a place. All numbers are 0 if it has none. */
GaugeMove gauge_move(const Model *m, int place, const real *before, int piece);

#endif
