/* rotate.h - rotation by the position: what its nodes are. */
#ifndef ROTATE_H
#define ROTATE_H

#include <stdbool.h>

#include <qkv/operator.h>

/* The arguments of a node that rotate_op made. */
typedef struct Rotation {
    int position; /* of the first token */
    double base;
    bool by_model; /* not by the variant */
} Rotation;
extern const Operator rotate_op;

/* The pairs of columns of each head of n, turned: rotate (qkv/attend.h). */
Node *rotated(Node *n, Rotation by);

#endif
