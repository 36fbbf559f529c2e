/* gradient.h - a test that gradients are right. */
#ifndef GRADIENT_H
#define GRADIENT_H

#include "check/difference.h"

enum { MOST_LEAVES = 32 };

typedef struct Leaf {
    int rows, cols, sequences;
    double size; /* standard deviation of its entries */
} Leaf;

/* Builds the graph under test from its leaves. */
typedef Node *Build(Node **leaf, void *more);

/* A graph of the leaves x, in one expression. */
#define GRAPH(NAME, ...)                    \
    static Node *NAME(Node **x, void *more) \
    {                                       \
        (void)more;                         \
        return __VA_ARGS__;                 \
    }

/* Draws the leaves, and fails the test at the first entry whose gradient is off
   by more than 1e-6 of itself. In double only. */
void check_gradient(Build *build, void *more, const Leaf *leaves, int count);

#endif
