/* difference.h - gradients against differences.

   The result of a graph is projected on random numbers, so that each of its
   entries matters. Then every entry of every leaf is moved, and the change of
   the projection is compared with the entry's gradient. This can be trusted
   only in double: a float's rounding is as large as the differences. */
#ifndef DIFFERENCE_H
#define DIFFERENCE_H

#include <stdbool.h>

#include "heart/tape.h"
#include "operators/elementwise.h"

/* A function that records the graph under test, its leaves first. */
typedef Node *Recorder(Tape *t, void *more);

/* A leaf whose gradient is off by more than 1e-6 of itself, and the entry at
   which it is off most. */
typedef struct Slopes {
    char leaf[80]; /* its label; "" if all gradients are right */
    int row, col;
    double found, wanted; /* the gradient there, and the slope */
} Slopes;

/* Compares the gradient with the slope at every entry of each leaf, or only at
   every second, third ... entry. */
Slopes slopes_of(Recorder *record, void *more, int every);

/* Is df the derivative of f at x, at least on one side of x? */
bool slope_holds(const Mapping *m, double x);

/* Runs the backward pass from sum_ij r_ij A_ij, for random r. */
void backward_projected(Node *a);

#endif
