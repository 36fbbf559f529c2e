/* difference.h - gradients against differences.

   The result of a graph is projected on random numbers: each of its entries is
   multiplied by one, and the products are summed, so every entry matters. Then
   every entry of every leaf is moved, and the change of this sum is compared
   with the entry's gradient. This can be trusted only in double: a float's
   rounding is as large as the differences. */
#ifndef DIFFERENCE_H
#define DIFFERENCE_H

#include <stdbool.h>

#include "heart/tape.h"
#include "operators/elementwise.h"

/* A function that records the graph under test, its leaves first, and returns
   its result. `more` is what the caller of slopes_of gave. */
typedef Node *Recorder(Tape *t, void *more);

/* A leaf whose gradient is off by more than 1e-6 of itself, and the entry at
   which it is off most. */
typedef struct Slopes {
    char leaf[80]; /* the leaf's label; "" if all gradients are right */
    int row, col;
    double gradient, slope; /* at this entry */
} Slopes;

/* Compares the gradient with the slope at every entry of each leaf, or only at
   every n-th one, where n is `every`. */
Slopes slopes_of(Recorder *record, void *more, int every);

/* Returns whether df is the derivative of f at x, at least on one side of x. */
bool slope_holds(const Mapping *m, double x);

/* Runs the backward pass from the projection of A: sum_ij r_ij A_ij, for random
   r, which are the same in every call. */
void backward_projected(Node *a);

#endif
