/* operator_table.c - the table of what each operator computes, for code that
   reads a tape. */
#include <stddef.h>

#include "algebra/operator_table.h"
#include "heart/attend_and_norm.h"
#include "heart/embedding_and_loss.h"
#include "heart/operators.h"
#include "operators/biases.h"
#include "operators/columns.h"
#include "operators/elementwise.h"
#include "operators/recall.h"
#include "operators/rotary_embedding.h"
#include "operators/scores_and_softmax.h"
#include "training/rope_and_alibi.h"

/* Each row has the fields of Meaning in order; the last is `rotates`. A new
   operator of the core needs one row here. */
static const Meaning meanings[] = {
    {NULL, LEAF, NO_PRODUCTS, false}, /* a node without an operator */
    {&matmul_op, TIMES, MATRICES, false},
    {&matmul_t_op.op, TIMES_TURNED, MATRICES, false},
    {&scale_op.op, FACTOR, NO_PRODUCTS, false},
    {&add_op, SUM, NO_PRODUCTS, false},
    {&hadamard_op, GAIN, NO_PRODUCTS, false},
    {&spread_op.op, REPEATED, NO_PRODUCTS, false},
    {&columns_op.op, COLUMNS, NO_PRODUCTS, false},
    {&concat_op.op, SIDE_BY_SIDE, NO_PRODUCTS, false},
    {&tanh_op, OPAQUE, NO_PRODUCTS, false},
    {&sigmoid_op, OPAQUE, NO_PRODUCTS, false},
    {&gelu_op, OPAQUE, NO_PRODUCTS, false},
    {&map_op, OPAQUE, NO_PRODUCTS, false},
    {&rms_norm_op, OPAQUE, NO_PRODUCTS, false},
    {&layer_norm_op, OPAQUE, NO_PRODUCTS, false},
    {&mix_heads_op.op, OPAQUE, MIXTURES, false},
    {&shift_op.op, OPAQUE, NO_PRODUCTS, false},
    {&rotate_op.op, OPAQUE, NO_PRODUCTS, true},
    {&rope_op.op, OPAQUE, NO_PRODUCTS, false},
    {&scores_op.op, OPAQUE, SCORING, false},
    {&fixed_bias_op, OPAQUE, NO_PRODUCTS, false},
    {&softmax_op, OPAQUE, NO_PRODUCTS, false},
    {&softmax_sink_op, OPAQUE, NO_PRODUCTS, false},
    {&mask_zero_op.op, OPAQUE, NO_PRODUCTS, false},
    {&apply_weights_op.op, WEIGHTED, WEIGHTING, false},
    {&attend_op, OPAQUE, ATTENDING, false},
    {&embed_op.op, OPAQUE, NO_PRODUCTS, false},
    {&cross_entropy_op, OPAQUE, NO_PRODUCTS, false},
};

const Meaning *
meaning_of(const Node *n)
{
    static const Meaning unknown = {NULL, OPAQUE, UNKNOWN, false};
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].op == n->op)
            return &meanings[i];
    return &unknown;
}
