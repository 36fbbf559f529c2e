/* attention_maps.h - the attention maps of one sequence: for each head, how
   much each token looks at each other one. */
#ifndef ATTENTION_MAPS_H
#define ATTENTION_MAPS_H

#include "algebra/capture.h"
#include "base/words.h"

/* The attention weights of one head. */
typedef struct Map {
    char *name;     /* "block0.attention, head 1" */
    Matrix weights; /* queries x keys, in the capture's memory */
    /* The index in Maps.tokens of the sequence whose tokens are the queries,
       and of the one whose tokens are the keys: 0 or 1. */
    int queries_of, keys_of;
} Map;

typedef struct Maps {
    Map *map;
    int count, capacity;
    /* The labels of the tokens of the model's sequence (0), and of its
       encoder's (1), if it has one. */
    Values tokens[2];
} Maps;

/* The maps of all heads of m in the capture of a forward pass on the one
   sequence of b. Their weights are valid until the pass is freed. A variant
   that calls neither attend nor softmax has no maps. */
Maps maps_of(const Model *m, const Dataset *data, const Batch *b,
             const Capture *r);

/* The weight that query i gives to key j. */
double map_weight(const Map *map, int i, int j);

/* Prints every map, with a character for each weight, in tenths. Keys that do
   not fit into 80 columns are left out. */
void maps_print(const Maps *maps);

#endif
