/* biases.h - operators on scores: a bias by position, a softmax with a sink,
   and a mask without a softmax. */
#ifndef BIASES_H
#define BIASES_H

#include <qkv/attend.h>

#include "heart/operators.h"

/* The arguments of fixed_bias: the function that it adds, and a copy of the
   attention that it was called for. */
typedef struct PositionBias {
    Attention attention;
    Bias *bias;
} PositionBias;

extern const Operator fixed_bias_op;
extern const LinearOp mask_zero_op;

/* Its arguments are an ScaleAndMask (heart/attention.h). It has one operand if
   the score of the sink is 0, and two if it is learned. */
extern const Operator softmax_sink_op;

#endif
