/* costs.h - what a token costs, by how many there are before it. */
#ifndef COSTS_H
#define COSTS_H

#include "driver/generation.h"

/* Prints a row for each length of the prompt, 128 to 8,192, of the run's model
   and of another one, which may be NULL: what the cache holds, FLOPs and speed,
   and how far apart the logits of the two are. */
void costs_show(Generation *g, const Model *other);

#endif
