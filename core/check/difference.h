/* difference.h - compares gradients with finite differences.

   Each entry of a graph's result is multiplied by a random number, and the
   products are summed, so that every entry matters. This sum is called the
   projection of the result. Then one entry of a leaf after the other is changed
   a little, and the projection's slope is compared with the entry's gradient.
   This can be trusted only in double, because a float's rounding is as large as
   the differences. */
#ifndef DIFFERENCE_H
#define DIFFERENCE_H

#include <stdbool.h>

#include "heart/tape.h"
#include "operators/elementwise.h"

/* A function that records the graph under test on a tape, its leaves first, and
   returns its result. `more` is the argument that slopes_of was called with. */
typedef Node *Recorder(Tape *t, void *more);

/* A leaf whose gradient is wrong, by more than about 1e-6 of itself, and the
   entry at which it is most wrong. */
typedef struct Slopes {
    char leaf[80]; /* the leaf's label; "" if all gradients are right */
    int row, col;  /* the entry's row and column, from 0 */
    double gradient, slope;
} Slopes;

/* Compares the gradient with the slope at every n-th entry of each leaf, where
   n is `every`. */
Slopes slopes_of(Recorder *record, void *more, int every);

/* Returns whether df is the derivative of f at x, at least on one side of x. */
bool slope_holds(const Mapping *m, double x);

/* Runs the backward pass from the projection of A, sum_ij r_ij A_ij. The random
   r_ij are the same in every call. */
void backward_projected(Node *a);

#endif
