/* cache.h - the key-value cache: what a decoder keeps of earlier tokens.

   A decoder calls forward on a few new tokens at a time, so x and y have rows
   for these only. The rows of the tokens before are in the cache, which is the
   tape's Keeper (tape.h). cached() keeps the rows of its node and returns the
   rows of all tokens so far. So do attend, scores and apply_weights for keys
   and values that have rows for the new tokens only.

   The first step of a decoder runs on a tape for shapes, which computes nothing
   and finds out which nodes are kept. Its position is that of the last step. */
#ifndef CACHE_H
#define CACHE_H

#include "heart/tape.h"

/* The rows that are kept of one node: one for each token of the sequence, up to
   the capacity of its place. */
typedef struct Kept {
    const Node *node; /* the node, in the step for shapes */
    real *rows;
    int cols;
    bool added; /* does it have the rows of this step? */
    bool plain; /* is it kept unrotated, because something other than scores
                   uses it? */
} Kept;

/* The entry that one call of all_rows or all_keys uses: at->kept[entry]. It is
   at an earlier place if an earlier block has kept the node. `at` is NULL if
   the call needs no entry. */
typedef struct Use {
    struct CachePlace *at;
    int entry;
} Use;

typedef struct CachePlace {
    Kept *kept; /* an entry for each node that is kept here */
    int kept_count, kept_capacity;
    Use *use; /* of each call of all_rows and all_keys in a step, in order */
    int uses, use_capacity;
    int used;     /* how many of these calls this step has made */
    int held;     /* how many earlier tokens it has */
    int capacity; /* the most tokens that it can have */
} CachePlace;

typedef struct Cache {
    Keeper keeper;
    int tokens;        /* the longest sequence */
    int places;        /* of attention in the model */
    CachePlace *place; /* one for each */
    CachePlace *at;    /* the place whose forward runs now, or NULL */
    bool shapes;       /* is this the step for shapes? */
} Cache;

/* An empty cache. A tape uses it after t->keeper = &c->keeper. */
Cache *cache_new(int places, int tokens);
void cache_free(Cache *c);

/* Forgets all tokens. */
void cache_clear(Cache *c);

/* How many numbers a place keeps for each token. */
int cache_entries(const Cache *c, int place);

#endif
