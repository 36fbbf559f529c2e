/* layers.h - the operators of the model around a variant.

   As in <qkv/tape.h>, with one token a row and the sequences end to end. */
#ifndef LAYERS_H
#define LAYERS_H

#include <qkv/tape.h>

#include "heart/operators.h"

/* Row t is the sum of the rows of `table` that ids[t * each ...] name, `each`
   of them a token (-1 names none), and, if `positions` is not NULL, of row
   first + t of that, with t counted in each sequence. (rows x table's cols) */
Node *embed(Node *table, const int *ids, int each, Node *positions, int first,
            int rows, int sequences);

/* Rows whose target is not -1: only these count in loss and accuracy. */
int counted_rows(const int *targets, int rows);

/* The sum over counted rows of -log softmax(logits)[target], in nats, divided
   by `counted`: how many count in the whole batch, of which this may be a
   micro-batch.
   A (1 x 1); 0 where none counts. */
Node *cross_entropy(Node *logits, const int *targets, int counted);

/* How many counted rows' largest logit is the target's. */
int correct_rows(const Node *logits, const int *targets);

/* c->op tells which operator made a node c. */
extern const LinearOp embed_op;
extern const Operator cross_entropy_op;

#endif
