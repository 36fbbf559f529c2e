/* rotary_embedding.h - rotary position embedding. */
#ifndef ROTARY_EMBEDDING_H
#define ROTARY_EMBEDDING_H

#include "heart/operators.h"

/* The arguments of an operator that rotates: the token at position t is rotated
   by the angles t base^(-j / width), for even columns j of a head. */
typedef struct Rotation {
    int position; /* of the first token */
    double base;
} Rotation;

/* The `add` (LinearOp, heart/operators.h) of an operator with these arguments.
 */
LinearAdd add_rotated;

extern const LinearOp rotate_op;

#endif
