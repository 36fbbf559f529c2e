/* gauge.h - how far training moves along directions that change nothing: the
   gauge.

   (W_Q A) (W_K A^-T)' = W_Q W_K' for every invertible A, so the loss does not
   change along (W_Q X, -W_K X'), for any X (k x k). The gradient is at right
   angles to these directions. So gradient flow conserves W_Q' W_Q - W_K' W_K of
   each head, and also W_V' W_V - W_O W_O' (Arora, Cohen and Hazan 2018, for
   linear networks). Steps of finite length, and other optimizers, change them.
   The conserved matrix is symmetric, so it fixes only k (k + 1) / 2 of the
   gauge's k^2 dimensions; W_Q can still turn along the others.

   In the functions below, `place` is the index in m->place of an attention of
   the model. `piece` is M_PIECE for W_Q and W_K, or N_PIECE for W_V and W_O'
   (algebra/terms.h). The two matrices are called q and k in both cases. */
#ifndef GAUGE_H
#define GAUGE_H

#include "algebra/derive.h"
#include "algebra/svd.h"

/* The two matrices (d_model x k) of each head at a place. */
typedef struct Pairs {
    Matrix *q, *k; /* views of the model's weights; the caller frees q */
    int count;     /* the number of heads; 0 if there are no pairs */
} Pairs;

/* The pairs of a place. There are none unless the place's derived form
   (algebra/derive.h) is exactly M_i = W_i^Q W_i^K' and N_i = W_i^V W_i^O,
   without rotation, and no two heads share a matrix. */
Pairs gauge_pairs(const Model *m, int place, int piece);

/* c += a' b, for a and b (rows x cols) and c (cols x cols). */
void add_product(double *c, const double *a, const double *b, int rows,
                 int cols);

/* Finds the part (Q X, -K X') of a step (dQ, dK) that is along the gauge, and
   returns its squared length. c is C = Q' dQ - dK' K (k x k); a and b are the
   singular value decompositions of Q'Q and of K'K. x becomes X, which solves
   Q'Q X + X K'K = C. `scratch` has memory for 2 k^2 numbers. */
double along_gauge(double *x, const Svd *a, const Svd *b, const double *c,
                   double *scratch);

/* Measurements of a step of training. The first four are squared Frobenius
   norms of matrices, summed over all heads; the last is a mean over the heads.
 */
typedef struct GaugeMove {
    double conserved; /* W_Q' W_Q - W_K' W_K before the step */
    double change;    /* the change of that matrix in the step */
    double step;      /* (dW_Q, dW_K) */
    double along;     /* the part of the step that is along the gauge */
    double by_chance; /* the mean of along / step over random steps */
} GaugeMove;

/* Measures the step from the weights `before`, an earlier copy of m->values, to
   the present ones, for the pairs of a place. All numbers are 0 if the place
   has no pairs. */
GaugeMove gauge_move(const Model *m, int place, const real *before, int piece);

#endif
