/* attend_and_norm.h - attention and LayerNorm, each in one operator.

   core/heart/attend_and_norm.c is the readable version.
   core/fast/attend_and_norm.c, which replaces it in the whole program, is fast
   and computes the same bits. */
#ifndef ATTEND_AND_NORM_H
#define ATTEND_AND_NORM_H

#include <qkv/operator.h>

/* c->op tells which operator made a node c. */
extern const Operator attend_op, layer_norm_op;

/* gain (x - mean) / sqrt(variance + NORM_EPSILON) + bias, row by row; gain and
   bias are (1 x columns of x). Ba, Kiros and Hinton 2016, equation 4. The
   epsilon prevents a division by 0 if all entries of a row are equal. */
#define NORM_EPSILON ((real)1e-5)
Node *layer_norm(Node *x, Node *gain, Node *bias);

#endif
