/* attention.h - scaled dot-product attention in steps: what its nodes are, and
   the hooks of positions and of a decoder. */
#ifndef ATTENTION_H
#define ATTENTION_H

#include <qkv/attend.h>

#include "heart/operators.h"

/* The arguments of attend and of softmax. */
typedef struct Attended {
    double scale; /* of the scores in attend; 1 in softmax */
    int causal;
} Attended;

/* c->op tells which operator made a node c. */
extern const ProductOp scores_op, apply_weights_op;
extern const Operator softmax_op;

/* A model that puts positions into the scores of every variant hangs one of
   these on Attention.relative. The variant does not notice. `rotated` turns
   queries or keys whose first token is at `position`; `biased` adds to scores.
   The hook that is not used is NULL. */
typedef struct Relative {
    Node *(*rotated)(Node *n, int position);
    Node *(*biased)(Attention *a, Node *s);
} Relative;

/* Queries or keys n, rotated if the model does that. */
Node *positioned(const Attention *a, Node *n, int position);

/* n, with the rows of all tokens so far if a decoder keeps them (Keeper,
   tape.h). If n is keys, `of` is the attention that scores them, and they are
   positioned for it; otherwise `of` is NULL. */
Node *all_rows(const Attention *of, Node *n);

/* Prepares the operands of attend: they get their positions, and the rows that
   a decoder keeps. Aborts if they do not fit. */
void attend_operands(const Attention *a, Node **q, Node **k, Node **v);

/* Aborts if a causal mask does not fit queries (or scores) q and `keys` keys.
 */
void check_mask(const char *name, const Attention *a, const Node *q, int keys);

/* The backward pass of softmax for row i of its rows * heads. Returns
   rowsum(P dP). */
real softmax_row_backward(Node *c, int i);

#endif
