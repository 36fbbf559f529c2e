/* attention_maps.h - the attention maps of one sequence: for each head, how
   much each token attends to each token. */
#ifndef ATTENTION_MAPS_H
#define ATTENTION_MAPS_H

#include "algebra/capture.h"
#include "base/words.h"

/* The attention weights of one head. */
typedef struct Map {
    char *name;              /* "block0.attention, head 1" */
    Matrix weights;          /* queries x keys, in the capture's memory */
    int queries_of, keys_of; /* the sequences of its queries and of its keys:
                                MODEL_TOKENS or ENCODER_TOKENS */
} Map;

typedef struct Maps {
    Map *map;
    int count, capacity;
    Values tokens[2]; /* the labels of the tokens: tokens[MODEL_TOKENS] of the
                         model's sequence; tokens[ENCODER_TOKENS] of the
                         encoder's, empty if there is no encoder */
} Maps;
enum { MODEL_TOKENS, ENCODER_TOKENS };

/* The maps of all heads of m. r is the capture of its forward pass on the batch
   b, which has one sequence. The weights are valid until that pass is freed. A
   variant that calls neither attend nor softmax has no maps. */
Maps maps_of(const Model *m, const Dataset *data, const Batch *b,
             const Capture *r);

/* The weight that query i gives to key j. */
double map_weight(const Map *map, int i, int j);

/* Prints every map, with one character for each weight, which is rounded to
   tenths. Keys that do not fit into 80 columns are left out. */
void maps_print(const Maps *maps);

#endif
