/* layers.h - the operators of the model around a variant: the embedding, and
   the loss (cross_entropy).

   As in <qkv/tape.h>, with one token a row and the sequences end to end. */
#ifndef LAYERS_H
#define LAYERS_H

#include <qkv/tape.h>

#include "heart/operators.h"

/* Token t is the sum of the rows of `table` that its `each` ids name, from
   ids[t * each] on; an id of -1 names none. If `positions` is not NULL, row
   first + t of that is added, with t counted from 0 in each sequence. Returns
   (rows x table's columns). */
Node *embed(Node *table, const int *ids, int each, Node *positions, int first,
            int rows, int sequences);

/* The number of rows whose target is not -1: only these count in loss and
   accuracy. */
int counted_rows(const int *targets, int rows);

/* The sum over counted rows of -log softmax(logits)[target], in nats, divided
   by `counted`, the number of counted rows in the whole batch, of which this
   may be a micro-batch. Returns (1 x 1); it is 0 if no row counts. */
Node *cross_entropy(Node *logits, const int *targets, int counted);

/* The number of counted rows whose largest logit is the target's. */
int correct_rows(const Node *logits, const int *targets);

/* c->op tells which operator made a node c. */
extern const LinearOp embed_op;
extern const Operator cross_entropy_op;

#endif
