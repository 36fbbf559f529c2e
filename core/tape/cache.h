/* cache.h - what a decoder keeps of earlier tokens: the key-value cache.

   A decoder calls forward on a few new tokens at a time. Then x and y have rows
   of these alone, and a cache that hangs on their tape has those of the tokens
   before. `cached` keeps the rows of its node and returns all rows so far; so
   do attend, scores and apply_weights with keys and values that have rows of
   new tokens only. A step is

       cache_enter(c, &a, place, x, y);
       forward(&a, x, y, w);
       cache_leave(c, &a);

   for each place of attention; then the caller adds to c->position. The first
   one is on a measuring tape, to find out what is kept: c->position is that of
   the last step then. */
#ifndef CACHE_H
#define CACHE_H

#include <qkv/attend.h>
#include <qkv/operator.h>

/* What is kept of one node: a row for each token, with space for a sequence of
   the largest length before the next one. Keys of attend alone are kept as its
   products need them, in blocks: KEY_BLOCK tokens transposed, then the next
   ones. The node of all of them has them in `kept`, and no value. */
enum { KEY_BLOCK = 64 };
typedef struct Kept {
    const Node *node; /* in the measuring run */
    real *rows;
    int cols;
    bool added;   /* those of this step */
    bool plain;   /* not for scores alone */
    bool as_rows; /* not for attend alone: else it is in blocks */
} Kept;

/* A fixed_bias of scores that are used afterwards; those of one use follow one
   another. */
typedef struct Mask {
    Bias *bias;
    int heads;
    bool last; /* of its use */
} Mask;

typedef struct CachePlace {
    Kept *kept;
    int kinds, kept_room;
    int *use; /* the one of `kept` that each call of all_rows is about, or -1 */
    int uses, use_room, called;
    Mask *mask;
    int masks, mask_room;
    int *position;             /* of each row: */
    int held, fresh, capacity; /* of earlier tokens, of new ones; of all */
    const Node *before;        /* the last one on the tape at cache_enter */
    bool self, measures;
} CachePlace;

typedef struct Cache {
    int sequences;          /* of equal length */
    int tokens;             /* of each, how many there may be */
    int position;           /* of the first new one */
    int places;             /* of attention, */
    CachePlace *place, *at; /* each, and the one that forward is in, or NULL */
} Cache;

/* An empty one; hangs it on a tape; that of a tape, or NULL. */
Cache *cache_new(int places, int tokens, int sequences);
void cache_free(Cache *c);
void tape_decode(Tape *t, Cache *c);
Cache *tape_cache(const Tape *t);

/* Forgets all tokens. */
void cache_clear(Cache *c);

/* Around forward at a place: `enter` sets a->position. In self-attention y is
   x; else its rows are those of another sequence, all in the first step, and
   none in later ones.

   `leave` forgets keys that fixed_bias masks from all later queries in every
   head: in groups of 16 positions, so that sums over what is left have their
   terms in the same lanes (math/rows.h), and the same bits. It forgets none
   where scores are used without such a mask too, nor where the variant says by
   `cached` what it keeps. */
void cache_enter(Cache *c, Attention *a, int place, const Node *x,
                 const Node *y);
void cache_leave(Cache *c, const Attention *a);

/* All rows so far of a node that has those of new tokens; any other node as it
   is, and every node where there is no cache. Of several sequences they may
   have gaps between them (Node.gap), which head_of knows of; `closed` copies
   such rows, for other operators. */
Node *all_rows(Node *n);
Node *closed(Node *n);

/* The same for scores, which say so: what only they use may be kept rotated
   (all_keys, attend.h); and in blocks, if all say that they take blocks. After
   the measuring run: is k, which all_rows_of_keys is about to be asked for,
   used by scores alone? */
Node *all_rows_of_keys(Node *k, bool blocks);
bool only_keys(const Node *k);

/* On n's tape, how many tokens before the new ones have keys; and the positions
   of all keys, or of n's rows if these are as many, where there is a cache. */
int earlier_rows(const Node *n);
const int *key_positions(const Node *n);
const int *row_positions(const Node *n);

/* Rows of a sequence that there is memory for: whole blocks. */
int cache_room(const CachePlace *p);

/* What a place keeps: tokens, and entries of each. */
int cache_rows(const Cache *c, int place);
int cache_entries(const Cache *c, int place);

/* What cache_leave asks about a node. Is it scores, perhaps with biases? Was
   its last step a bias; which, if by fixed_bias, else NULL? Did attend make it?
 */
bool are_scores(const Node *n);
bool has_bias(const Node *n);
Bias *bias_of(const Node *n);
bool is_attend(const Node *n);

#endif
