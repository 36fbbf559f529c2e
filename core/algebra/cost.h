/* cost.h - the costs of a variant at any shape: parameters, FLOPs, and the
   memory of a decoder's cache and of training. They are read off a forward pass
   that computes only the shapes of its nodes. (models/accounts.c counts
   published models.) */
#ifndef COST_H
#define COST_H

#include <stdbool.h>

#include <qkv/operator.h>

#include "training/build_model.h"

/* The cost of the attention of some blocks. FLOPs count 2 for each multiply-add
   of a product; other operations are not counted. They are NAN if a plugin's
   own operator does not set Node.flops. */
typedef struct Cost {
    double parameters;
    double forward, backward; /* FLOPs per token of x */
    double cache; /* entries that a decoder keeps per token, on average: of the
                     keys and values of a block, only those that the newest
                     query can still see are kept */
    double state; /* entries of a state of fixed size that could replace the
                     whole cache (Node.state), or 0 if there is none */
    double activations; /* entries that a training step keeps per token */
    bool rotates;       /* whether its own code rotates by position */
    bool recalls;       /* whether a block uses a node that an earlier block
                           remembered */
} Cost;

/* The cost of a.layers blocks of v together. x has `tokens` rows; y has `keys`
   rows, or is x if `keys` is Y_IS_X. Nothing is counted twice: a key that a
   later block recalls is in the cache once, and so is a matrix on which the
   outputs of several blocks depend. A matrix on which no output depends is not
   counted. */
enum { Y_IS_X = 0 };
Cost cost_of(const Variant *v, Attention a, int tokens, int keys);

/* The cost of all attention in a model. *flops becomes the FLOPs of its
   forward pass, including an encoder's, divided by the number of tokens of a
   sequence (not of an encoder's). *cache becomes the number of entries that a
   decoder keeps per token: of its own sequence for self-attention, and of the
   second one for cross-attention. */
void model_cost(const Model *m, double *flops, double *cache);

/* The FLOPs of a node's products in the forward and in the backward pass. The
   newest node of its tape is `last`. Scores that a fixed_bias masks are not
   counted, and operators without products count 0. NAN for a plugin's operator
   that does not set Node.flops. */
typedef struct Flops {
    double forward, backward;
} Flops;
Flops node_flops(const Node *n, const Node *last);

/* The share of the scores that a node of fixed_bias leaves unmasked. */
double unmasked_share(const Node *bias);

#endif
