/* cost.h - the costs of a variant at any shape: parameters, FLOPs, and the
   memory of a decoder's cache and of training. They follow from a forward pass
   that only makes shapes. (models/accounts.c counts published models.) */
#ifndef COST_H
#define COST_H

#include <stdbool.h>

#include <qkv/operator.h>

#include "training/build_model.h"

typedef struct Cost {
    double parameters;
    double forward, backward; /* FLOPs per token: 2 for each multiply-add */
    double cache;             /* entries that a decoder keeps of each token */
    double state;       /* entries that could replace the whole cache; or 0 */
    double kept;        /* the share of the tokens that are still seen */
    double activations; /* entries that a training step keeps of each token */
    bool rotates;       /* does it rotate columns by the position itself? */
    bool recalls;       /* does a block recall what another one remembered? */
} Cost;

/* The cost of a.layers blocks of v together, from a run of forward on shapes
   only. `tokens` queries attend to `keys` other tokens, or to themselves if
   `keys` is 0; costs per token are per query. A block pays only for what no
   earlier block has paid: a key that it recalls is in the cache already, and a
   matrix is a parameter of the first block whose output depends on it. A matrix
   on which no output depends is not counted. */
Cost cost_of(const Variant *v, Attention a, int tokens, int keys);

/* The cost of all attention in a model. *flops becomes the FLOPs of the forward
   pass, including the encoder's, divided by the number of tokens of the first
   sequence (not the encoder's). *cache becomes the number of entries that a
   decoder keeps per token. */
void model_cost(const Model *m, double *flops, double *cache);

/* The FLOPs of a node's products, two for each multiply-add: flops[0] forward,
   flops[1] backward, where each trained operand takes as many again. Scores
   that a fixed_bias masks, on a tape that ends with `last`, are not counted,
   and operators without products count 0. NAN for a plugin's operator that does
   not set c->flops. */
void node_flops(const Node *n, const Node *last, double flops[2]);

/* The share of its entries that a fixed_bias leaves unmasked. */
double unmasked_share(const Node *bias);

#endif
