/* unfused.h - attention in three operators: what the nodes of scores and
   weights are. */
#ifndef UNFUSED_H
#define UNFUSED_H

#include <qkv/attend.h>
#include <qkv/operator.h>

/* Which operator made a node: c->op. The arguments of scores are the scale (a
   double), those of softmax and softmax_sink a->causal (an int). */
extern const Operator scores_op;
extern const Operator fixed_bias_op;
extern const Operator softmax_op;
extern const Operator softmax_sink_op;
extern const Operator apply_weights_op;

/* The sink of weights in head `head`, -INFINITY where there is none. */
double sink_of(const Node *weights, int head);

/* The arguments of fixed_bias: what it adds, and the attention that it was
   called for, as it was then. */
typedef struct Added {
    Attention attention;
    Bias *bias;
} Added;

#endif
