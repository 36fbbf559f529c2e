/* attend.h - what attend, and scores, softmax and apply_weights, have in
   common: the heads of a matrix, and the checks of their shapes; and their
   inner loops, of which tests/plain has a version each that is one page long.
 */
#ifndef ATTEND_H
#define ATTEND_H

#include <qkv/attend.h>
#include <qkv/operator.h>

#include "heart/rows.h"
#include "tape/tape.h"

/* Head `head` of sequence s of a matrix at `at` that has n's shape; its step
   leads to the same head of the next sequence. Then checks, which abort with
   the shapes: of the heads of queries and keys (or values), of their widths, of
   the lengths that a mask by position asks for. */
Matrix head_of(const Node *n, real *at, int s, int head);
void check_heads(const char *name, const Node *q, const Node *k);
void check_scores(const char *name, const Node *q, const Node *k);
void check_mask(const char *name, const Attention *a, const Node *q, int keys);

/* Did `scores` make n? Was its last step a bias of scores; which, if by
   fixed_bias, else NULL? Did attend make it? */
bool is_scores(const Node *n);
bool has_bias(const Node *n);
Bias *bias_of(const Node *n);
bool is_attend(const Node *n);

/* Scores before any bias was added; and the sink of weights in head `head`,
   -INFINITY where there is none. */
Node *unbiased(Node *scores);
double sink_of(const Node *weights, int head);

/* The arguments of fixed_bias, and of score_bias: what it adds, and the
   attention that it was called for, as it was then. */
typedef struct Added {
    Attention attention;
    Bias *bias;
    Bucket *bucket;
} Added;

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

/* Is there a node on the tape, made after `since` (NULL: at all), that a block
   recalled from an earlier one? */
bool recalled_since(const Tape *t, const Node *since);

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

/* What attend was called with besides q, k and v: the arguments of its node. */
typedef struct Attended {
    double scale;
    int causal;
} Attended;

/* The work of attend on its node c, and how many entries it keeps in c->kept
   from the forward pass to the backward pass. */
size_t attend_keeps(const Node *c);
void attend_forward(Node *c);
void attend_backward(Node *c);

/* Heads of q that share a head of k or of v stay together in a thread: they add
   to the same gradient, and read the same. So there are as many groups as heads
   of k and of v have a greatest common divisor. */
int shared_groups(const Node *k, const Node *v);

#endif
