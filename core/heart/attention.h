/* attention.h - scaled dot-product attention: what its nodes are, and what the
   model and a decoder have to do with it. */
#ifndef ATTENTION_H
#define ATTENTION_H

#include <qkv/attend.h>

#include "heart/operators.h"

/* What attend and its steps are called with besides matrices: the arguments of
   their nodes. */
typedef struct Attended {
    double scale; /* of attend, and of the softmax in it, else 1 */
    int causal;   /* of attend, softmax and mask_zero */
    double sink;  /* of softmax, if it is not learned; -INFINITY if none */
} Attended;

/* Which operator made a node: n->op. */
extern const Product scores_op;
extern const Operator softmax_op;
extern const Product apply_weights_op;
extern const Operator fixed_bias_op;
extern const Linear mask_zero_op;

/* What attend works on: q, k and v with positions, and with the rows that a
   decoder keeps. Aborts where they do not fit. */
void attend_operands(const Attention *a, Node **q, Node **k, Node **v);

/* The nodes of scores, without a scale, and of apply_weights, for operands that
   fit; and the backward pass of softmax for row i of rows * heads, which is
   that of token i / heads in head i % heads. */
Node *raw_scores(Node *q, Node *k);
Node *weighted_sum(Node *p, Node *v);
void softmax_row_backward(Node *c, int i);

/* The arguments of fixed_bias: what it adds, and the attention that it was
   called for, as it was then. */
typedef struct Added {
    Attention attention;
    Bias *bias;
} Added;

/* How a model puts positions into the scores of every variant, which does not
   see it (Attention.relative; NULL: not at all): it rotates queries and keys,
   whose first token is at `position`, or adds a bias. The other one is NULL. */
typedef struct Relative {
    Node *(*rotated)(Node *n, int position);
    Bias *bias;
} Relative;

/* n, queries or keys whose first token is at `position`, as scores need it. */
Node *positioned(const Attention *a, Node *n, int position);

#endif
