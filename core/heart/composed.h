/* composed.h - attention and LayerNorm as the model uses them. core/heart shows
   each step; core/fast has a fast operator for each. */
#ifndef COMPOSED_H
#define COMPOSED_H

#include <qkv/operator.h>

/* c->op tells which operator made a node c. Only core/fast has one for
   layer_norm. */
extern const Operator attend_op, layer_norm_op;

/* gain (x - mean) / sqrt(variance + 1e-5) + bias, row by row; gain and bias
   are (1 x cols). Ba, Kiros and Hinton 2016, equation 4. */
Node *layer_norm(Node *x, Node *gain, Node *bias);

#endif
