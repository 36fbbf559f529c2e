/* positions.h - positions that a model puts into the scores of every variant.

   RoPE, Su et al. 2021: q and k are rotated before their product, which then
   depends on the distance of the two tokens only. ALiBi, Press et al. 2022:
   head i of h adds -2^(-8 i / h) for each token of distance to its scores.
   These are the slopes of the text; the authors' code has others where h is no
   power of two. Without a mask, later tokens are as far as earlier ones, as the
   authors suggested afterwards. */
#ifndef POSITIONS_H
#define POSITIONS_H

#include "heart/attention.h"
#include "heart/config.h"

/* Attention.relative is the address of one of these, or NULL. */
extern const Relative rope, alibi;

/* What a variant sees of a config that has its widths (attention_of), these
   positions and its layers included. */
Attention positioned_attention(const Config *c);

/* n->op of queries and keys that the model rotated. */
extern const LinearOp rope_op;

/* What n was before the model rotated it; n itself if a variant did, or nobody.
 */
Node *before_rope(Node *n);

/* ALiBi's bias of a head of the next scores. Heads are counted over all calls:
   a variant that calls attend for each has the slopes of one that calls it
   once. */
double alibi_bias(const Attention *a, int head, int query, int key);

#endif
