/* scores_and_softmax.h - attention in three steps, for variants that act
   between them: attend(a, q, k, v, s) is apply_weights(a, softmax(a, scores(a,
   q, k, s)), v).
 */
#ifndef SCORES_AND_SOFTMAX_H
#define SCORES_AND_SOFTMAX_H

#include "heart/attention_operands.h"
#include "operators/matmul_t.h"

/* c->op tells which operator made a node c. The arguments of softmax are a
   ScaleAndMask (heart/attention_operands.h), whose scale is 1. */
extern const ProductOp scores_op, apply_weights_op;
extern const Operator softmax_op;

/* Computes what attend does, one step after another. A tape or a Relative that
   has this function as its `attend` (heart/tape.h, heart/attention_operands.h)
   makes a node for each step. */
AttendFunction attend_in_steps;

/* Sets the arguments of a Spec (heart/operators.h) to a ScaleAndMask that does
   not scale. */
#define MASK_OF(a) WITH((ScaleAndMask){.scale = 1, .causal = (a)->causal})

/* The number of keys that a query sees. c is scores or weights, whose arguments
   are a ScaleAndMask. A row here is the entries of one query in one head: row i
   belongs to the query of token i / heads, in head i % heads. */
int row_sees(const Node *c, int i);

/* The backward pass of softmax for row i, numbered as in row_sees, of the
   weights P. Returns rowsum(P dP). */
real softmax_row_backward(Node *c, int i);

#endif
