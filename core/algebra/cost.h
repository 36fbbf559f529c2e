/* cost.h - what a variant costs, at any shape and without computing it. */
#ifndef COST_H
#define COST_H

#include <stdbool.h>

#include <qkv/operator.h>

#include "config/find_plugin.h"

typedef struct Cost {
    double parameters;
    double forward, backward; /* FLOPs a token: 2 a multiply-add of products */
    double cache;             /* entries that a decoder keeps of a token */
    double activations;       /* entries that a training step keeps of one */
    bool rotates;             /* it rotates columns by the position itself */
} Cost;

/* Of one attention of v at a, from a run of forward that has shapes only.
   `tokens` queries attend to `keys` other tokens, or to their own where that is
   0; what is counted by the token is counted by the query. */
Cost cost_of(const Variant *v, Attention a, const Weights *w, int tokens,
             int keys);

/* FLOPs of a node, two for a multiply-add of a product, forward and backward:
   there each trained operand takes as many. Other operators count nothing, nor
   do scores that a fixed_bias masks, on a tape that ends with `last`. */
void node_flops(const Node *n, const Node *last, double flops[2]);

/* The share of its entries that a fixed_bias does not mask. */
double unmasked_share(const Node *bias);

#endif
