/* rope_and_alibi.h - positions that a model puts into the scores of every
   variant.

   RoPE (Su et al. 2021): q and k are rotated by their positions before their
   product, so that a score depends on positions only through the distance of
   its two tokens. ALiBi (Press et al. 2022): head i of h, counted from 1, adds
   -2^(-8 i / h) times that distance to its scores. These slopes are from the
   text of the paper; the authors' code uses different ones if h is not a power
   of two. Without a mask, a later token gets the same bias as an earlier token
   at the same distance, as the authors suggested afterwards. */
#ifndef ROPE_AND_ALIBI_H
#define ROPE_AND_ALIBI_H

#include "heart/attention_operands.h"
#include "heart/config.h"

/* The values of Attention.relative (heart/attention_operands.h) for models that
   use RoPE or ALiBi. */
extern const Relative rope, alibi;

/* The description of attention that a variant gets for a resolved config: that
   of attention_of (heart/config.h), with the number of layers, and with RoPE or
   ALiBi if the config has them. */
Attention positioned_attention(const Config *c);

/* The operator with which the model rotates queries and keys. */
extern const LinearOp rope_op;

/* The node that RoPE rotated, if n is the result of rope_op; otherwise n. */
Node *before_rope(Node *n);

/* ALiBi's bias for the score of a query and a key at these positions. `head` is
   counted from 0 within a call of attend. For the slope, heads are counted over
   all calls, beginning again after a->heads; a->scored heads came before this
   call. So a variant may call attend once for each head, or once for all heads.
 */
double alibi_bias(const Attention *a, int head, int query, int key);

#endif
