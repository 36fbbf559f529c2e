/* cost.h - what a variant costs, at any shape and without computing it. */
#ifndef COST_H
#define COST_H

#include "plugin.h"

typedef struct Cost {
    double parameters;
    double forward, backward; /* FLOPs a token: 2 a multiply-add of products */
    double cache;             /* numbers that a decoder keeps of a token */
    double activations;       /* numbers that a training step keeps of one */
} Cost;

/* Of one attention of v at a on sequences of `tokens` tokens that ask each
   other, from a run of forward that has shapes only. */
Cost cost_of(const Variant *v, Attention a, const Weights *w, int tokens);

#endif
