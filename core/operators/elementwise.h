/* elementwise.h - operators that work entry by entry: A + B, A . B, scaling by
   a factor, functions of each entry, and RMSNorm. */
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H

#include "heart/operators.h"

/* The arguments of map: a function and its derivative. */
typedef struct Mapping {
    double (*f)(double), (*df)(double);
} Mapping;

/* add(a, b) is an add_op (heart/operators.h) of a and b, and hadamard(a, b) a
   hadamard_op. If b is smaller, it is first repeated, by a spread_op. The
   argument of scale is its factor, a double. */
extern const LinearOp spread_op, scale_op;

extern const Operator hadamard_op, tanh_op, sigmoid_op, map_op, rms_norm_op;

#endif
