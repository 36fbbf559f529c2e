/* regression.h - the loss of a model whose answers are numbers: answer k means
   the number first + k step (Sizes). */
#ifndef REGRESSION_H
#define REGRESSION_H

#include "heart/model.h"

/* With y the numbers that the targets mean, and x (rows x 1) those that were
   found: the sum over counted rows of (x - y)^2, divided by `counted`. A
   (1 x 1). To *right it adds the sum over counted rows of 1 - (x - y)^2:
   divided by how many they are it is R^2, for answers of mean 0 and variance
   1. */
Node *number_loss(const Model *m, Node *x, const int *targets, int counted,
                  double *right);

#endif
