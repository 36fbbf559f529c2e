/* fair.h - what makes a comparison fair: equal budgets, equal starts. All of it
   is decided before anything is trained. */
#ifndef FAIR_H
#define FAIR_H

#include "run/grid.h"

/* With --match: changes the widths of c's variant, not resolved yet, so that
   one attention costs as nearly what the baseline's does as one whole number
   allows, and says what it changed. d-k and d-v go together where it uses both;
   mla has its latent. Exits (2) on a budget there is not. `real` are the
   parameters that are really there, as qkv-double counts them at each width. */
void meet_budget(const Request *o, Config *c);

/* A choice of --same-start for one point of a grid. */
typedef struct Start {
    Config point; /* without a variant */
    Shaped as;
} Start;

/* With --same-start: c, not resolved yet, gets the variant and shape that it
   starts as, or none where it cannot, which is said. Of "auto" it is that
   variant whose function most of the others can start as; of several, the one
   with the fewest parameters. Exits (2) where no two can start alike. */
void choose_start(Grid *g, const Request *o, Config *c);

/* Exits with what a worker would fail of: a model that c cannot make, --init or
   --log of what there is not. */
void check_build(const Config *c);

#endif
