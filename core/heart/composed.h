/* composed.h - attention and LayerNorm: core/heart composes them of operators,
   core/fast has one operator for each. */
#ifndef COMPOSED_H
#define COMPOSED_H

#include <qkv/operator.h>

/* Which operator made a node. Only core/fast has one for layer_norm. */
extern const Operator attend_op, layer_norm_op;

/* gain (x - mean) / sqrt(variance + 1e-5) + bias, row by row; gain and bias
   are (1 x cols). Ba, Kiros and Hinton 2016, equation 4. */
Node *layer_norm(Node *x, Node *gain, Node *bias);

#endif
