/* cost.h - what a variant costs, at any shape and without computing it. */
#ifndef COST_H
#define COST_H

#include <stdbool.h>

#include <qkv/operator.h>

#include "training/build_model.h"

typedef struct Cost {
    double parameters;
    double forward, backward; /* FLOPs a token: 2 a multiply-add of products */
    double cache;             /* entries that a decoder keeps of a token */
    double state;             /* entries that would do, of all tokens; or 0 */
    double kept;              /* the share of the tokens that are still seen */
    double activations;       /* entries that a training step keeps of one */
    bool rotates;             /* it rotates columns by the position itself */
    bool recalls;             /* a block recalls what another remembered */
} Cost;

/* What the a.layers blocks of v cost together, from a run of forward that has
   shapes only. `tokens` queries attend to `keys` other tokens, or to their own
   if that is 0; what is counted by the token is counted by the query. A block
   pays for what no earlier one has paid: a key that it recalls is in the cache
   already, and a matrix is a parameter of the first block whose output depends
   on it, of none if no output does. */
Cost cost_of(const Variant *v, Attention a, int tokens, int keys);

/* What all attention of the model costs: FLOPs of the forward run, the
   encoder's too, per token of the first sequence, and entries that a decoder
   keeps per token, of the first sequence and of the second. */
void model_cost(const Model *m, double *flops, double *cache);

/* FLOPs of a node, two for a multiply-add of a product, forward and backward:
   there each of its first two operands takes as many, if it is trained. NAN for
   an operator of a plugin that does not say. Other operators count nothing, nor
   do scores that a fixed_bias masks, on a tape that ends with `last`. */
void node_flops(const Node *n, const Node *last, double flops[2]);

/* The share of its entries that a fixed_bias does not mask. */
double unmasked_share(const Node *bias);

#endif
