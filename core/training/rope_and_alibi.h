/* rope_and_alibi.h - positions that a model puts into the scores of every
   variant.

   RoPE, Su et al. 2021: q and k are rotated by their positions before their
   product, so that positions change a score only by the distance of its two
   tokens. ALiBi, Press et al. 2022: head i of h (from 1 on) adds -2^(-8 i / h)
   times that distance to its scores. These slopes are from the text of the
   paper; the authors' code uses different ones if h is not a power of two.
   Without a mask a later token gets the same bias as an earlier one at that
   distance, as the authors suggested afterwards. */
#ifndef ROPE_AND_ALIBI_H
#define ROPE_AND_ALIBI_H

#include "heart/attention_operands.h"
#include "heart/config.h"

/* If a model uses RoPE or ALiBi, Attention.relative
   (heart/attention_operands.h) points to one of these. */
extern const Relative rope, alibi;

/* The description that a variant gets of a resolved config: attention_of, with
   the positions in its scores and the number of layers. */
Attention positioned_attention(const Config *c);

/* The operator with which the model rotates queries and keys. */
extern const LinearOp rope_op;

/* If n is the result of rope_op, the node that it rotated; otherwise n. */
Node *before_rope(Node *n);

/* ALiBi's bias of the score of a query and a key at these positions. `head` is
   counted from 0 within a call of attend. For its slope, heads are counted over
   all calls (a->scored were scored before), so that a variant may call attend
   once for each head or once for all of them. */
double alibi_bias(const Attention *a, int head, int query, int key);

#endif
