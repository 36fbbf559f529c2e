/* heads.h - the heads of a matrix. */
#ifndef HEADS_H
#define HEADS_H

#include "heart/operators.h"

/* Head `head` of sequence s of a matrix at `at` that has n's shape; its step
   leads to the same head of the next sequence. */
Matrix head_of(const Node *n, real *at, int s, int head);

/* That head of operand k of c, or for k = 2 of c, which serves head h of c, in
   every sequence: fewer heads of keys and of values are shared by neighbours.
 */
Matrix head_for(const Node *c, int h, int k, real *at);

/* What a linear operator that rotates adds, and the arguments of its node. */
typedef struct Rotation {
    int position; /* of the first token */
    double base;
} Rotation;
LinearAdd add_rotated;

/* Each row of each head, its mean taken off if `centred`, divided by the root
   of (the mean of its squares + eps). */
Node *normalize(Node *a, double eps, bool centred);

/* Which operator made a node: n->op. The argument of columns is the first. */
extern const Linear columns_op, concat_op, rotate_op;
extern const Operator normalize_op;
extern const Product mix_heads_op;

#endif
