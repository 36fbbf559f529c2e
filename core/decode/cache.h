/* cache.h - the key-value cache: what a decoder keeps of earlier tokens.

   A decoder calls forward on a few new tokens at a time, so x and y have rows
   for these only. The rows of earlier tokens are in the cache, which is the
   tape's Keeper (tape.h). cached() keeps the rows of its node and returns the
   rows of all tokens so far. attend, scores and apply_weights do the same for
   keys and values that have rows for the new tokens only.

   First one step of the decoder runs on a tape for shapes, which computes
   nothing and finds out which nodes are kept: the step for shapes. It is the
   last step, which needs most memory, so its position is that of the last
   tokens. The real steps must then make the same calls. */
#ifndef CACHE_H
#define CACHE_H

#include "heart/tape.h"

/* The rows that are kept of one node: one for each token of the sequence, up to
   the capacity of its place. */
typedef struct Kept {
    const Node *node; /* the node of the step for shapes */
    real *rows;
    int cols;
    bool added; /* does it have the rows of this step? */
    bool plain; /* is it kept unrotated, because something other than scores
                   uses it? */
    struct Kept *next; /* in the list of its place */
} Kept;

/* The cache of one place where the model has attention. A step makes the same
   calls of all_rows and all_keys there as the step for shapes did. */
typedef struct CachePlace {
    Kept *kept; /* the list of nodes that are kept here */
    Kept **use; /* what each of these calls uses, in their order: a node that is
                   kept here or at an earlier place, or NULL if the call needs
                   none */
    int uses, use_capacity;
    int used;     /* how many of these calls this step has made */
    int held;     /* how many earlier tokens it has rows of */
    int capacity; /* the most tokens that it can have rows of */
} CachePlace;

typedef struct Cache {
    Keeper keeper;
    int tokens;        /* the length of the longest sequence */
    int places;        /* how many places of attention the model has */
    CachePlace *place; /* one for each */
    CachePlace *at;    /* the place whose forward runs now, or NULL */
    bool shapes;       /* is this the step for shapes? */
} Cache;

/* An empty cache. To make a tape use it, set t->keeper = &c->keeper. */
Cache *cache_new(int places, int tokens);
void cache_free(Cache *c);

/* Forgets all tokens. */
void cache_clear(Cache *c);

/* How many entries a place keeps for each token. */
int cache_entries(const Cache *c, int place);

#endif
