/* muon.c - Muon: the step of a matrix is its momentum, made orthogonal.

   Jordan et al. 2024 (kellerjordan.github.io/posts/muon). The momentum is a
   running mean of the gradients. With its SVD U S V', the step is U V', so that
   every direction of the matrix moves equally far. A few products approximate
   U V' without an SVD. Muon updates only matrices of attention; Adam updates
   all other weights. */
#include <math.h>

#include "heart/fail.h"
#include "heart/train.h"
#include "training/muon.h"

/* X := a X + (b G + c G G) X with G = X X', five times, from X of norm 1: the
   quintic iteration of Newton and Schulz, with Jordan's coefficients. It
   moves every singular value of X to between 0.7 and 1.2. X must not have more
   rows than columns. gx, a matrix of X's shape, is scratch memory for G X. That
   for G is kept from call to call, so that a step of training allocates
   nothing.
 */
static void
make_orthogonal(Matrix x, Matrix gx)
{
    static const real a = (real)3.4445, b = (real)-4.775, c = (real)2.0315;
    static real *memory;
    static int capacity; /* entries of `memory` */
    int n = x.rows, size = x.rows * x.cols;
    while (capacity < n * n)
        memory = grow(memory, capacity, &capacity, sizeof *memory);
    Matrix g = matrix(memory, n, n, n);
    for (int round = 0; round < 5; round++) {
        multiply(g, x, transposed(x));
        multiply(gx, g, x);
        for (int i = 0; i < size; i++)
            x.at[i] = a * x.at[i] + b * gx.at[i];
        for (int i = 0; i < n * n; i++)
            g.at[i] *= c;
        multiply_add(x, g, gx); /* X += c G (G X) */
    }
}

/* Moves one matrix. `mean` is its momentum, which becomes
   m = beta1 m + (1 - beta1) g. `step` is scratch memory. It becomes
   beta1 m + (1 - beta1) g (Nesterov), and is then made orthogonal. After that
   the gradient g is not needed any more, so it is scratch memory too. The
   matrix moves by rate 0.2 sqrt(max(rows, cols)) U V', about as far as Adam
   would move it, so that both can use one learning rate (Liu et al. 2025,
   arXiv:2502.16982, section 2.2). */
static void
muon_matrix(const Weight *w, real *mean, real *step, double beta1, double rate)
{
    int size = w->rows * w->cols;
    real beta = (real)beta1, rest = (real)(1 - beta1), *g = w->gradient;
    double squares = 0;
    for (int i = 0; i < size; i++) {
        mean[i] = beta * mean[i] + rest * g[i];
        step[i] = beta * mean[i] + rest * g[i];
        squares += (double)step[i] * (double)step[i];
    }
    real shrink = (real)(1 / (sqrt(squares) + 1e-7)); /* not 1 / 0 */
    for (int i = 0; i < size; i++)
        step[i] *= shrink;
    Matrix x = matrix(step, w->rows, w->cols, w->cols);
    Matrix gx = matrix(g, w->rows, w->cols, w->cols);
    bool tall = w->rows > w->cols;
    make_orthogonal(tall ? transposed(x) : x, tall ? transposed(gx) : gx);
    real by = (real)(rate * 0.2 * sqrt(tall ? w->rows : w->cols));
    for (int i = 0; i < size; i++)
        w->value[i] -= by * step[i];
}

/* Each weight is moved in `only`, a copy of the model that has no other weight.
   adam() multiplies the powers of beta1 and beta2 in the copy, so in the model
   they are multiplied at the end. Muon needs no mean of squares: that memory is
   its scratch. */
void
muon(Model *m, double rate)
{
    for (int i = 0; i < m->count; i++) {
        const Weight *w = &m->weights[i];
        bool matrix = w->attention && w->rows > 1 && w->cols > 1;
        Model only = *m;
        size_t at = (size_t)(w->value - m->values);
        only.values += at;
        only.gradients += at;
        only.first += at;
        only.second += at;
        only.parameters = (size_t)w->rows * (size_t)w->cols;
        if (matrix)
            muon_matrix(w, only.first, only.second, m->config.beta1, rate);
        else
            adam(&only, rate);
    }
    m->beta1_power *= m->config.beta1;
    m->beta2_power *= m->config.beta2;
}
