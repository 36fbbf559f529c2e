/* biases.h - operators on scores: a bias by position, a softmax with a sink,
   and a mask without a softmax.

   A sink is one more key for each query. It has a score, but no value, so the
   weights of the real keys sum to less than 1. */
#ifndef BIASES_H
#define BIASES_H

#include <qkv/attend.h>

#include "heart/operators.h"

/* The arguments of fixed_bias: the function whose results it adds to scores,
   and a copy of the attention, the first argument of that function. */
typedef struct PositionBias {
    Attention attention;
    Bias *bias;
} PositionBias;

extern const Operator fixed_bias_op;
extern const LinearOp mask_zero_op;

/* The arguments of softmax_sink are a ScaleAndMask
   (heart/attention_operands.h), whose scale is 1. Its first operand is the
   scores. If the sink's score is learned, that is the second operand (1 x
   heads); if it is 0, there is none. */
extern const Operator softmax_sink_op;

#endif
