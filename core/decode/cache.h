/* cache.h - the key-value cache: what a decoder keeps of earlier tokens.

   In each step, a decoder calls forward on a few new tokens, so x and y have
   rows only for these. The rows of earlier tokens are in the cache, which is
   the tape's Keeper (tape.h). cached() keeps the rows of its node and returns
   the rows of all tokens so far. attend, scores and apply_weights do the same
   for keys and values that have rows only for the new tokens.

   Before the first real step there is a step for shapes: it runs on a tape for
   shapes, which computes nothing, and finds out which nodes are kept. Its
   position is that of the last step, which needs the most memory. The real
   steps must then make the same calls. */
#ifndef CACHE_H
#define CACHE_H

#include "heart/tape.h"

/* An entry of the cache: the rows of one node for all tokens so far. It has
   memory for as many rows as the capacity of its place. */
typedef struct Kept {
    const Node *node; /* the node in the step for shapes */
    real *rows;
    int cols;
    bool added;     /* whether it already has the rows of the current step */
    bool unrotated; /* whether its rows are kept without the rotation by their
                       positions, because a call of all_rows needs that */
    struct Kept *next; /* in the list of its place */
} Kept;

/* The cache of one place where the model has attention. A step makes the same
   calls of all_rows and all_keys there as the step for shapes did. */
typedef struct CachePlace {
    Kept *kept; /* the list of the entries that were made here */
    Kept **use; /* the entry that each call of all_rows or all_keys uses, in the
                   order of the calls: an entry of this place or of an earlier
                   one, or NULL if the call uses none */
    int uses, use_capacity;
    int next_use; /* the index in use[] for the next call in the current step */
    int held;     /* the number of earlier tokens whose rows are kept */
    int capacity; /* the largest number of tokens whose rows can be kept */
} CachePlace;

typedef struct Cache {
    Keeper keeper;
    int tokens;          /* the length of the longest sequence */
    int places;          /* how many places of attention the model has */
    CachePlace *place;   /* one for each place of attention */
    CachePlace *current; /* the place whose attention is running, or NULL */
    bool shapes;         /* whether this is the step for shapes */
} Cache;

/* An empty cache for a model with `places` places of attention, and for
   sequences of at most `tokens` tokens. To make a tape t use the cache c, set
   t->keeper = &c->keeper. */
Cache *cache_new(int places, int tokens);
void cache_free(Cache *c);

/* Forgets all tokens, so that the next one has position 0. */
void cache_clear(Cache *c);

/* How many numbers a place keeps for each token: the sum of the columns of the
   entries that were made there. */
int cache_entries(const Cache *c, int place);

#endif
