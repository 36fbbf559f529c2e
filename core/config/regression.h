/* regression.h - the loss of a model whose answers are numbers. */
#ifndef REGRESSION_H
#define REGRESSION_H

#include <qkv/tape.h>

/* Where answer k means the number y = first + k step, and x (rows x 1) are the
   numbers found: the sum over counted rows of (x - y)^2, divided by
   `counted`. A (1 x 1). */
Node *squared_error(Node *x, const int *targets, int counted, double first,
                    double step);

/* The sum over counted rows of 1 - (x - y)^2: divided by how many they are it
   is R^2, for answers of mean 0 and variance 1. */
double explained_rows(const Node *x, const int *targets, double first,
                      double step);

#endif
