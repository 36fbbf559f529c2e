/* linear.h - task linear: how a product of matrices learns, without attention.

   The model is W_1 W_2 ... W_depth alone, all (n x n); what it must become is
   diag(spectrum), whose singular values are the modes. Inputs are every unit
   vector at once, so a step sees the whole loss and nothing is random but the
   start. Saxe, McClelland and Ganguli 2013, "Exact solutions to the nonlinear
   dynamics of learning in deep linear neural networks". */
#ifndef LINEAR_H
#define LINEAR_H

#include <qkv/tape.h>

#include "task/task.h"

/* n = length modes; exits (2) where the spectrum does not fit. */
Sizes sizes_linear(const Config *c);
void draw_linear(const Config *c, Random *r, Example *e);

/* The modes: those of --spectrum "4+2+1", or 4, 2, 1, 1/2 ... */
double linear_mode(const Config *c, int i);

/* What every matrix starts as: N(0, deviation^2), so that products of any depth
   start about 0.01 large. */
double linear_start(const Config *c);

/* sum (x - diag)^2 / 2, or sum (x - diag)^4 / 4 with --loss l4, for x (n x n)
   and the (n x n) numbers of diag. A (1 x 1). */
Node *power_error(Node *x, const real *diag, bool fourth);

/* 1 - sum (x - diag)^2 / sum diag^2 */
double power_explained(const Node *x, const real *diag);

#endif
