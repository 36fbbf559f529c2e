/* difference.h - gradients against differences.

   A graph is read out by a random projection, so that every entry of the result
   matters. Then every entry of every leaf is moved, and what the result does is
   compared with its gradient, sign and all. Believable in double only: a
   float's rounding is as large as the differences. */
#ifndef DIFFERENCE_H
#define DIFFERENCE_H

#include <stdbool.h>

#include "heart/operators.h"
#include "heart/tape.h"
#include "operators/elementwise.h"

/* Records the graph under test, its leaves first. */
typedef Node *Recorder(Tape *t, void *more);

/* The first leaf whose gradient is off by more than 1e-6 of itself, and the
   entry where it is off most. */
typedef struct Slopes {
    char leaf[80]; /* its label; "": all are right */
    int row, col;
    double found, wanted; /* there: gradient, difference */
} Slopes;

/* Looks at every entry, or every second, third ... of each leaf. */
Slopes slopes_of(Recorder *record, void *more, int every);

/* Is df the derivative of f at x, on one side at least? */
bool slope_holds(const Mapping *m, double x);

/* The backward pass from sum_ij r_ij A_ij, r from its own random stream. */
void backward_projected(Node *a);

#endif
