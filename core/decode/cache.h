/* cache.h - what a decoder keeps of earlier tokens: the key-value cache.

   A decoder calls forward on a few new tokens at a time. Then x and y have rows
   of these alone, and a cache that keeps the tape's rows (Keeper, tape.h) has
   those of the tokens before. `cached` keeps the rows of its node and returns
   all rows so far; so do attend, scores and apply_weights with keys and values
   that have rows of new tokens only. The first step is on a tape for shapes, to
   find out what is kept: position is that of the last step then. */
#ifndef CACHE_H
#define CACHE_H

#include "heart/tape.h"

/* What is kept of one node: a row for each token of the sequence, up to the
   capacity of its place. */
typedef struct Kept {
    const Node *node; /* in the step for shapes */
    real *rows;
    int cols;
    bool added; /* those of this step */
    bool plain; /* something else than scores uses them */
} Kept;

/* What a call of all_rows is about: one of what a place keeps, which may be an
   earlier one, if its block remembered the node; or NULL. */
typedef struct Use {
    struct CachePlace *at;
    int kind;
} Use;

typedef struct CachePlace {
    Kept *kept;
    int kinds, kept_room;
    Use *use;
    int uses, use_room, called;
    int held, capacity; /* tokens: earlier ones; the most */
} CachePlace;

typedef struct Cache {
    Keeper keeper;
    int tokens;             /* of the sequence, how many there may be */
    int places;             /* of attention, */
    CachePlace *place, *at; /* each, and the one that forward is in, or NULL */
    bool shapes;
} Cache;

/* An empty one: t->keeper = &c->keeper. */
Cache *cache_new(int places, int tokens);
void cache_free(Cache *c);

/* Forgets all tokens. */
void cache_clear(Cache *c);

/* How many entries of each token a place keeps. */
int cache_entries(const Cache *c, int place);

#endif
