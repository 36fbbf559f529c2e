/* bias.h - scores that get a bias by position, and scores that are masked
   without a softmax. */
#ifndef BIAS_H
#define BIAS_H

#include <qkv/attend.h>

#include "heart/operators.h"

/* The arguments of fixed_bias: the function that it adds, and a copy of the
   attention that it was called for. */
typedef struct Added {
    Attention attention;
    Bias *bias;
} Added;

extern const Operator fixed_bias_op;
extern const LinearOperator mask_zero_op;

#endif
