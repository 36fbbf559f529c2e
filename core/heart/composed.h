/* composed.h - attention and LayerNorm: core/heart composes them of operators,
   core/fast has one operator for each. */
#ifndef COMPOSED_H
#define COMPOSED_H

#include <qkv/operator.h>

/* The operator that core/fast has for attend. No node has it where attend is
   composed. */
extern const Operator attend_op;

/* gain (x - mean) / sqrt(variance + 1e-5) + bias, row by row; gain and bias
   are (1 x cols). Ba, Kiros and Hinton 2016, equation 4. */
Node *layer_norm(Node *x, Node *gain, Node *bias);

#endif
