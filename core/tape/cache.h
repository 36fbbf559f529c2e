/* cache.h - what a decoder keeps of earlier tokens: the key-value cache.

   A decoder calls forward on a few new tokens at a time. Then x and y have rows
   of these alone, and a cache that hangs on their tape has those of the tokens
   before. `cached` keeps the rows of its node and returns all rows so far; so
   do attend, scores and apply_weights with keys and values that have rows of
   new tokens only. A step is

       cache_enter(c, &a, place, x, y);
       forward(&a, x, y, w);
       cache_leave(c);

   for each place of attention; then the caller adds to c->position. The first
   step is on a tape for shapes, to find out what is kept: c->position is that
   of the last step then. */
#ifndef CACHE_H
#define CACHE_H

#include <qkv/attend.h>
#include <qkv/operator.h>

/* What is kept of one node: a row for each token, and for each sequence as many
   rows as it can have tokens. */
typedef struct Kept {
    const Node *node; /* in the step for shapes */
    real *rows;
    int cols;
    bool added; /* those of this step */
    bool plain; /* something else than scores uses them */
} Kept;

typedef struct CachePlace {
    Kept *kept;
    int kinds, kept_room;
    int *use; /* the one of `kept` that each call of all_rows is about, or -1 */
    int uses, use_room, called;
    int held, fresh, capacity; /* tokens: earlier and new ones; the most */
    bool shapes;
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
   none in later ones. */
void cache_enter(Cache *c, Attention *a, int place, const Node *x,
                 const Node *y);
void cache_leave(Cache *c);

/* All rows so far of a node that has those of new tokens; any other node as it
   is, and every node where there is no cache. all_rows_of_keys is for scores,
   which say so: what only they use may be kept rotated (positions.c). */
Node *all_rows(Node *n);
Node *all_rows_of_keys(Node *k);

/* After the step for shapes: is k, which all_rows_of_keys is about to be asked
   for, used by scores alone? */
bool only_keys(const Node *k);

/* On n's tape, how many tokens before the new ones have keys; and the position
   of the first of n's rows, which are those of new tokens or of all. */
int earlier_rows(const Node *n);
int first_position(const Attention *a, const Node *n);

/* What a place keeps: tokens, and entries of each. */
int cache_rows(const Cache *c, int place);
int cache_entries(const Cache *c, int place);

#endif
