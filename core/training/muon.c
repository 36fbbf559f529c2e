/* muon.c - Muon: the step of a matrix is its momentum, made orthogonal.

   Jordan et al. 2024 (kellerjordan.github.io/posts/muon). The mean of the
   gradients, U S V', is replaced by U V', so that every direction of the matrix
   moves equally far. A few products approximate U V'; no SVD is needed. Muon
   updates only matrices of attention; Adam updates all other weights. */
#include <math.h>

#include "heart/train.h"
#include "training/muon.h"

/* X := a X + (b G + c G G) X with G = X X', five times, from X of norm 1: the
   quintic iteration of Newton and Schulz, with Jordan's coefficients. It
   moves every singular value of X to between 0.7 and 1.2. X must not have more
   rows than columns. gx is scratch memory, a matrix of X's shape. */
static void
make_orthogonal(Matrix x, Matrix gx)
{
    static const real a = (real)3.4445, b = (real)-4.775, c = (real)2.0315;
    static real *memory; /* of G; kept for the next call */
    static int capacity;
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
        multiply_add(x, g, gx);
    }
}

/* Moves one matrix. `mean` is its momentum, which becomes
   m = beta1 m + (1 - beta1) g. `step` becomes beta1 m + (1 - beta1) g
   (Nesterov), and is then made orthogonal. g is not needed after that, so its
   memory serves as scratch. The step is 0.2 sqrt(max(rows, cols)) U V', about
   as long as a step of Adam, so that both can use one learning rate (Liu et al.
   2025, arXiv:2502.16982, section 2.2). */
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
    real shrink = (real)(1 / (sqrt(squares) + 1e-7));
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

/* Adam moves a weight in a copy of the model that has only this one. */
void
muon(Model *m, double rate)
{
    for (int i = 0; i < m->count; i++) {
        const Weight *w = &m->weights[i];
        Model one = *m;
        size_t at = (size_t)(w->value - m->values);
        one.values += at;
        one.gradients += at;
        one.first += at;
        one.second += at;
        one.parameters = (size_t)w->rows * (size_t)w->cols;
        if (w->attention && w->rows > 1 && w->cols > 1)
            muon_matrix(w, one.first, one.second, m->config.beta1, rate);
        else
            adam(&one, rate);
    }
    m->beta1_power *= m->config.beta1;
    m->beta2_power *= m->config.beta2;
}
