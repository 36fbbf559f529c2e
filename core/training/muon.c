/* muon.c - Muon: the step of a matrix is its momentum, made orthogonal.

   Source: Jordan et al. 2024 (kellerjordan.github.io/posts/muon). The momentum
   is a running mean of the gradients. If the SVD of the momentum is U S V', the
   step is U V', so that the matrix moves equally far in every direction. A few
   products approximate U V' without an SVD. Muon updates only the matrices of
   attention; Adam updates all other weights. */
#include <math.h>

#include "fast/threads.h"
#include "heart/adam.h"
#include "heart/fail.h"
#include "training/muon.h"

/* Scratch memory for an n x n matrix, whose entries are not set. Each call
   returns the same memory, enlarged if necessary, so that most steps of
   training allocate nothing. */
static Matrix
scratch_square(int n)
{
    static real *memory;
    static int capacity; /* entries of `memory` */
    while (capacity < n * n) {
        int count = capacity; /* it is full, so grow enlarges it */
        memory = grow(memory, count, &capacity, sizeof *memory);
    }
    return matrix(memory, n, n, n);
}

/* Repeats X := a X + (b G + c G G) X, with G = X X', ROUNDS times. This is the
   quintic iteration of Newton and Schulz, with Jordan's coefficients. If X has
   norm 1 before, each singular value of at least 0.002 ends between 0.68 and
   1.21; smaller ones grow up to 485-fold. X must not have more rows than
   columns. gx, a matrix of X's shape, is scratch memory for G X. (`multiply`
   sets its first matrix to the product of the others.) */
static void
make_orthogonal(Matrix x, Matrix gx)
{
    enum { ROUNDS = 5 };
    const real a = (real)3.4445, b = (real)-4.775, c = (real)2.0315;
    int n = x.rows, size = x.rows * x.cols;
    Matrix g = scratch_square(n);
    for (int round = 0; round < ROUNDS; round++) {
        multiply(g, x, transposed(x)); /* G = X X' */
        multiply(gx, g, x);
        for (int i = 0; i < size; i++)
            x.at[i] = a * x.at[i] + b * gx.at[i];
        for (int i = 0; i < n * n; i++)
            g.at[i] *= c;
        multiply_add(x, g, gx); /* X += c G (G X) */
    }
}

/* Updates the mean of a matrix's gradients g, and sets `step` to the direction
   of the momentum, with norm 1:

       mean = beta1 mean + (1 - beta1) g
       step = beta1 mean + (1 - beta1) g                    (Nesterov) */
static void
momentum_step(int size, const real *g, real *mean, real *step, double beta1)
{
    const double tiny = 1e-7; /* a step of zeros must not divide by 0 */
    real beta = (real)beta1, rest = (real)(1 - beta1);
    double squares = 0;
    for (int i = 0; i < size; i++) {
        mean[i] = beta * mean[i] + rest * g[i];
        step[i] = beta * mean[i] + rest * g[i];
        squares += (double)step[i] * (double)step[i];
    }
    real shrink = (real)(1 / (sqrt(squares) + tiny));
    for (int i = 0; i < size; i++)
        step[i] *= shrink;
}

/* Moves one matrix: W -= rate 0.2 sqrt(max(rows, cols)) orthogonal(step). With
   this factor W moves about as far as Adam would move it, so that Muon and Adam
   can have the same learning rate (Liu et al. 2025, arXiv:2502.16982, section
   2.2). `mean` is kept between steps. `step` is scratch memory, and so is the
   gradient after momentum_step has used it. */
static void
muon_matrix(const Weight *w, real *mean, real *step, double beta1, double rate)
{
    const double as_far_as_adam = 0.2;
    int size = w->rows * w->cols;
    real *g = w->gradient;
    momentum_step(size, g, mean, step, beta1);
    Matrix x = matrix(step, w->rows, w->cols, w->cols);
    Matrix gx = matrix(g, w->rows, w->cols, w->cols);
    bool tall = w->rows > w->cols;
    make_orthogonal(tall ? transposed(x) : x, tall ? transposed(gx) : gx);
    real distance =
        (real)(rate * as_far_as_adam * sqrt(tall ? w->rows : w->cols));
    for (int i = 0; i < size; i++)
        w->value[i] -= distance * step[i];
}

/* A copy of the model struct that has only the weight w: its values, gradient,
   and running means. */
static Model
with_only(const Model *m, const Weight *w)
{
    Model only = *m;
    size_t offset = (size_t)(w->value - m->values);
    only.values += offset;
    only.gradients += offset;
    only.first += offset;
    only.second += offset;
    only.parameters = (size_t)w->rows * (size_t)w->cols;
    return only;
}

/* Muon needs no mean of squared gradients, so it uses the memory of that mean
   (`second`) as scratch memory. Adam moves each entry separately, so several
   threads can share the entries. */
void
muon(Model *m)
{
    for (const Weight *w = m->weights; w < m->weights + m->count; w++) {
        Model only = with_only(m, w);
        bool is_matrix = w->rows > 1 && w->cols > 1;
        if (w->attention && is_matrix)
            muon_matrix(w, only.first, only.second, m->config.beta1, m->rate);
        else
            parallel_for((long)only.parameters, adam_range, &only);
    }
}
