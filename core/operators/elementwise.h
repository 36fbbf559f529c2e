/* elementwise.h - functions of each entry, scaling by a factor, and RMSNorm. */
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H

#include "heart/operators.h"

/* The arguments of map: a function and its derivative. */
typedef struct Mapping {
    double (*f)(double), (*df)(double);
} Mapping;

/* The argument of scale is its factor, a double. */
extern const LinearOp scale_op;

extern const Operator tanh_op, sigmoid_op, map_op;

extern const Operator rms_norm_op;

#endif
