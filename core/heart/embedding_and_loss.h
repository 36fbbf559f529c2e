/* embedding_and_loss.h - the two ends of the model: the embedding of tokens,
   and the loss, cross-entropy.

   As in <qkv/tape.h>, a row is a token, and sequences are one after the other.
 */
#ifndef EMBEDDING_AND_LOSS_H
#define EMBEDDING_AND_LOSS_H

#include "heart/operators.h"

/* Tokens of `sequences` sequences, one in each of `rows` rows. Row i has the
   `each` ids from ids[i * each] on; an id of -1 means none. */
typedef struct TokenIds {
    const int *ids;
    int each, rows, sequences;
    int first; /* position of a sequence's first token; 0 except in a decoder */
} TokenIds;

/* Returns a matrix with the embedding of a token in each row: the sum of the
   rows of `table` whose numbers are its ids. If `positions` is not NULL, row
   first + n of that table is added for token n of a sequence. */
Node *embed(Node *table, Node *positions, TokenIds tokens);

/* The number of counted rows. A row whose target is -1 is not counted, in the
   loss or in the accuracy. */
int counted_rows(const int *targets, int rows);

/* The sum over counted rows of -log softmax(logits)[target], in nats, divided
   by `counted`. `counted` is the number of counted rows of the whole batch;
   these logits may belong to a micro-batch. Returns a matrix (1 x 1), which
   is 0 if `counted` is 0. */
Node *cross_entropy(Node *logits, const int *targets, int counted);

/* The number of counted rows in which the model's answer is the target. Its
   answer is the class with the largest logit, or the first of these classes if
   there are several. */
int correct_rows(const Node *logits, const int *targets);

/* c->op tells which operator made a node c. */
extern const LinearOp embed_op;
extern const Operator cross_entropy_op;

#endif
