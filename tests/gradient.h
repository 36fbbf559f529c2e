/* gradient.h - a test that gradients are right. */
#ifndef GRADIENT_H
#define GRADIENT_H

#include "check/difference.h"

enum { MOST_LEAVES = 32 };

/* A graph of the leaves x, in one expression. */
#define GRAPH(NAME, ...)                    \
    static Node *NAME(Node **x, void *more) \
    {                                       \
        (void)more;                         \
        return __VA_ARGS__;                 \
    }

/* Fails the test at the first entry whose gradient is off by more than 1e-6 of
   itself. In double only. */
void check_gradient(Build *build, void *more, const Leaf *leaves, int count);

#endif
