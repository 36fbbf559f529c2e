/* attention_maps.h - the attention maps of one sequence: which token looks at
 * which. */
#ifndef ATTENTION_MAPS_H
#define ATTENTION_MAPS_H

#include "algebra/capture.h"
#include "base/words.h"

/* The attention weights of one head. */
typedef struct Map {
    char *name;              /* "block0.attention, head 1" */
    Matrix weights;          /* queries x keys, in the capture's memory */
    int queries_of, keys_of; /* the sequences that they belong to: the first
                                (0) or the second (1) */
} Map;

typedef struct Maps {
    Map *map;
    int count, capacity;
    Values tokens[2]; /* labels of the two sequences; the second may be empty */
} Maps;

/* The maps of all heads in a captured pass on one sequence. Their weights are
   valid until the pass is freed. A variant that calls neither attend nor
   softmax has no maps. */
Maps maps_of(const Model *m, const Dataset *data, const Batch *b,
             const Capture *r);

/* The weight that query i gives to key j. */
double map_weight(const Map *map, int i, int j);

/* Prints every map, a character for each weight in tenths, within 80 columns.
 */
void maps_print(const Maps *maps);

#endif
