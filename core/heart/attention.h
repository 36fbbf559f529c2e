/* attention.h - scaled dot-product attention: what its nodes are, and what the
   model and a decoder have to do with it. */
#ifndef ATTENTION_H
#define ATTENTION_H

#include <qkv/attend.h>
#include <qkv/operator.h>

/* Which operator made a node: n->op. Their arguments are Attended (attend.h).
 */
extern const Operator attend_op;
extern const Operator scores_op;
extern const Operator softmax_op;
extern const Operator apply_weights_op;
extern const Operator fixed_bias_op;

/* The arguments of fixed_bias: what it adds, and the attention that it was
   called for, as it was then. */
typedef struct Added {
    Attention attention;
    Bias *bias;
} Added;

/* The sink of weights in head `head`, -INFINITY if there is none. */
double sink_of(const Node *weights, int head);

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
