/* layers.h - the operators that the model around a variant needs.

   As in <qkv/tape.h>, with one token a row and the sequences end to end. */
#ifndef LAYERS_H
#define LAYERS_H

#include <stdbool.h>

#include <qkv/tape.h>

/* Did matmul make it? (Its operands are n->in[0] and n->in[1].) */
bool is_product(const Node *n);

/* GELU(x), elementwise: x times the chance that N(0, 1) stays below x, in the
   form with tanh (operator.c). */
Node *gelu(Node *x);

/* Row t is the sum of the rows of `table` that ids[t * each ...] name, `each`
   of them a token; -1 names none. (rows x table's cols) */
Node *embed(Node *table, const int *ids, int each, int rows, int sequences);

/* x + row t of `table` (tokens in a sequence x cols) at token t of each. */
Node *add_positions(Node *x, Node *table);

/* gain (x - mean) / sqrt(variance + 1e-5) + bias, row by row; gain and bias
   are (1 x cols). Ba, Kiros and Hinton 2016, equation 4. */
Node *layer_norm(Node *x, Node *gain, Node *bias);

/* The mean over counted rows of -log softmax(logits)[target], in nats: a
   (1 x 1). A row whose target is -1 does not count; none at all gives 0. */
Node *cross_entropy(Node *logits, const int *targets);

/* Counted rows, and those of them whose largest logit is the target's. */
void count_correct(const Node *logits, const int *targets, int *counted,
                   int *correct);

#endif
