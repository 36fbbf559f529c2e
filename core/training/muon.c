/* muon.c - Muon: the step of a matrix is its momentum, made orthogonal.

   Jordan et al. 2024 (kellerjordan.github.io/posts/muon). The momentum is a
   running mean of the gradients. If its SVD is U S V', the step is U V', so
   that every direction of the matrix moves equally far. A few products
   approximate U V' without an SVD. Muon updates only matrices of attention;
   Adam updates all other weights. */
#include <math.h>

#include "heart/fail.h"
#include "heart/train.h"
#include "training/muon.h"

/* X := a X + (b G + c G G) X with G = X X', five times, from X of norm 1: the
   quintic iteration of Newton and Schulz, with Jordan's coefficients. It
   moves every singular value of X to between 0.7 and 1.2. X must not have more
   rows than columns. gx, a matrix of X's shape, is scratch memory for G X. The
   memory of G is kept for the next call, so that a step of training allocates
   nothing. */
static void
make_orthogonal(Matrix x, Matrix gx)
{
    static const real a = (real)3.4445, b = (real)-4.775, c = (real)2.0315;
    static real *memory; /* of G */
    static int capacity; /* entries of `memory` */
    int n = x.rows, size = x.rows * x.cols;
    while (capacity < n * n)
        memory = grow(memory, capacity, &capacity, sizeof *memory);
    Matrix g = matrix(memory, n, n, n);
    for (int round = 0; round < 5; round++) {
        multiply(g, x, transposed(x)); /* G = X X' */
        multiply(gx, g, x);
        for (int i = 0; i < size; i++)
            x.at[i] = a * x.at[i] + b * gx.at[i];
        for (int i = 0; i < n * n; i++)
            g.at[i] *= c;
        multiply_add(x, g, gx); /* X += c G (G X) */
    }
}

/* Moves one matrix against its gradient g:

       mean = beta1 mean + (1 - beta1) g
       step = beta1 mean + (1 - beta1) g                    (Nesterov)
       W   -= rate 0.2 sqrt(max(rows, cols)) orthogonal(step)

   0.2 sqrt(...) moves it about as far as Adam would, so that both can use one
   learning rate (Liu et al. 2025, arXiv:2502.16982, section 2.2). `mean` is
   kept between steps. `step` is scratch memory, and so is g once it is used. */
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
    /* 1e-7 keeps a step of zeros from dividing by 0. */
    real shrink = (real)(1 / (sqrt(squares) + 1e-7));
    for (int i = 0; i < size; i++)
        step[i] *= shrink; /* make_orthogonal needs a norm of 1 */
    Matrix x = matrix(step, w->rows, w->cols, w->cols);
    Matrix gx = matrix(g, w->rows, w->cols, w->cols);
    bool tall = w->rows > w->cols;
    make_orthogonal(tall ? transposed(x) : x, tall ? transposed(gx) : gx);
    real distance = (real)(rate * 0.2 * sqrt(tall ? w->rows : w->cols));
    for (int i = 0; i < size; i++)
        w->value[i] -= distance * step[i];
}

/* Each weight is moved in `only`, a copy of the model struct whose pointers are
   to this weight only. adam() updates the powers of beta1 and beta2 of that
   copy; those of the model are updated at the end. Muon uses no mean of squares
   (`second`), so that memory is its scratch. */
void
muon(Model *m, double rate)
{
    for (int i = 0; i < m->count; i++) {
        const Weight *w = &m->weights[i];
        bool is_matrix = w->rows > 1 && w->cols > 1;
        Model only = *m;
        size_t offset = (size_t)(w->value - m->values);
        only.values += offset;
        only.gradients += offset;
        only.first += offset;
        only.second += offset;
        only.parameters = (size_t)w->rows * (size_t)w->cols;
        if (w->attention && is_matrix)
            muon_matrix(w, only.first, only.second, m->config.beta1, rate);
        else
            adam(&only, rate);
    }
    m->beta1_power *= m->config.beta1;
    m->beta2_power *= m->config.beta2;
}
