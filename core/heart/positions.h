/* positions.h - how the scores know of positions, and which rows a decoder has.
 */
#ifndef POSITIONS_H
#define POSITIONS_H

#include <qkv/attend.h>
#include <qkv/operator.h>

/* How scores know of positions: Attention.relative. A variant does not see it,
   so every variant can be trained with either.

   ROPE, Su et al. 2021: q and k are rotated before their product, which then
   depends on the distance of the two tokens alone. ALIBI, Press et al. 2022:
   head i of h adds -2^(-8 i / h) for each token of distance to its scores.
   These are the slopes of the text; the authors' code has others where h is no
   power of two. Without a mask, later tokens are as far as earlier ones, as the
   authors suggested afterwards. */
enum { UNPOSITIONED, ROPE, ALIBI };
enum { ROPE_BASE = 10000 };

/* n rotated by the model, its first token at `position`; and what n was before
   that, or n itself if a variant rotated it or nobody did. */
Node *rope(Node *n, int position);
Node *before_rope(Node *n);

/* q, or k, as scores need it: with ROPE rotated, its first token being at
   position `first`. Pair p of a head's columns turns by angle_of(p, width) with
   each token. */
Node *positioned(const Attention *a, Node *n, int first);

/* All rows so far of a node that has those of new tokens, where a decoder keeps
   rows (Keeper, tape.h); else n. And of keys, as scores need them. */
Node *all_rows(Node *n);
Node *all_keys(const Attention *a, Node *k);

/* How many tokens before the new ones have keys; and the position of the first
   of n's rows, which are those of new tokens or of all. */
int earlier_rows(const Node *n);
int first_position(const Attention *a, const Node *n);

double angle_of(int pair, int width);

/* ALiBi's bias of a head of the next scores. Heads are counted over all calls:
   a variant that calls attend for each has the slopes of one that calls it
   once. */
double alibi(const Attention *a, int head, int query, int key);

#endif
