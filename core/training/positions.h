/* positions.h - positions that a model puts into the scores of every variant.

   RoPE, Su et al. 2021: q and k are rotated before their product, which then
   depends on the distance of the two tokens only. ALiBi, Press et al. 2022:
   head i of h adds -2^(-8 i / h) for each token of distance to its scores.
   These are the slopes of the paper's text; the authors' code has others if h
   is not a power of two. Without a mask the bias of a later token depends on
   its distance in the same way, as the authors suggested afterwards. */
#ifndef POSITIONS_H
#define POSITIONS_H

#include "heart/attention.h"
#include "heart/config.h"

/* Attention.relative is the address of one of these, or NULL. */
extern const Relative rope, alibi;

/* The description that a variant gets of a resolved config: attention_of, with
   the positions in its scores and the number of layers. */
Attention positioned_attention(const Config *c);

/* The operator with which the model rotates queries and keys. */
extern const LinearOp rope_op;

/* The node that the model rotated to make n; n itself if the model did not make
   n by rotating. */
Node *before_rope(Node *n);

/* ALiBi's bias of a head in the next call of attend. Heads are counted over all
   calls, so that a variant may call attend once for each head, or once for all
   of them, and has the same slopes. */
double alibi_bias(const Attention *a, int head, int query, int key);

#endif
