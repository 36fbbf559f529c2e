/* attention_maps.h - the attention maps of one sequence: for each head, how
   much each token looks at each other one. */
#ifndef ATTENTION_MAPS_H
#define ATTENTION_MAPS_H

#include "algebra/capture.h"
#include "base/words.h"

/* The attention weights of one head. */
typedef struct Map {
    char *name;              /* "block0.attention, head 1" */
    Matrix weights;          /* queries x keys, in the capture's memory */
    int queries_of, keys_of; /* whose tokens these are: an index of Maps.tokens,
                                MODEL_TOKENS or ENCODER_TOKENS */
} Map;

typedef struct Maps {
    Map *map;
    int count, capacity;
    Values tokens[2]; /* the labels of the tokens of the model's sequence, and
                         of its encoder's, if it has one */
} Maps;
enum { MODEL_TOKENS, ENCODER_TOKENS };

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
