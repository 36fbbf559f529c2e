/* gradient.h - gradients against differences.

   A graph is built from random leaves and read out by a random projection, so
   that every entry of the result matters. Then every entry of every leaf is
   moved, and what the loss does is compared with its gradient, sign and all. */
#ifndef GRADIENT_H
#define GRADIENT_H

#include <qkv/operator.h>

enum { MOST_LEAVES = 32 };

typedef struct Leaf {
    int rows, cols, sequences;
    double size; /* standard deviation of its numbers */
} Leaf;

/* Builds the graph under test from its leaves. */
typedef Node *Build(Node **leaf, void *more);

/* Fails the test at the first entry whose gradient is off by more than 1e-6 of
   itself. In double only. */
void check_gradient(Build *build, void *more, const Leaf *leaves, int count);

/* sum_ij r_ij A_ij, a (1 x 1), r from a stream of its own. */
Node *project(Node *a);

#endif
