/* repeat.h - A + B and A . B, whose B may be smaller than A: it is repeated. */
#ifndef REPEAT_H
#define REPEAT_H

#include "heart/operators.h"

/* add(a, b) is an add_op (heart/operators.h) of a and b, hadamard(a, b) a
   hadamard_op. If b is smaller, it is first repeated, by a spread_op. */
extern const Operator hadamard_op;
extern const LinearOp spread_op;

#endif
