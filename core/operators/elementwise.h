/* elementwise.h - functions of each entry: tanh, sigmoid, and a plugin's own.
 */
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H

#include "heart/operators.h"

/* The arguments of map: a function and its derivative. */
typedef struct Mapping {
    double (*f)(double), (*df)(double);
} Mapping;

extern const Operator tanh_op, sigmoid_op, map_op;

#endif
