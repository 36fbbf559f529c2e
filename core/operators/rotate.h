/* rotate.h - rotary position embedding. */
#ifndef ROTATE_H
#define ROTATE_H

#include "heart/operators.h"

/* The arguments of an operator that rotates. */
typedef struct Rotation {
    int position; /* of the first token */
    double base;
} Rotation;

/* The `add` of a linear operator that rotates. */
LinearAdd add_rotated;

extern const LinearOp rotate_op;

#endif
