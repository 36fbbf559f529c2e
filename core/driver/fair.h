/* fair.h - what makes a comparison fair: equal budgets, equal starts. */
#ifndef FAIR_H
#define FAIR_H

#include "grid.h"

/* With --match: changes the widths of c's variant, not settled yet, so that it
   costs as nearly what the baseline does as one whole number allows, and says
   what it changed. d-k and d-v go together where it uses both; mla has its
   latent. */
void meet_budget(const Options *o, Config *c);

/* A choice of --same-start for one point of a grid. */
typedef struct Start {
    Config point; /* without variant and seed */
    char word[WORD_SIZE];
    bool *able; /* by place in the grid's variants: starts as `word` does */
} Start;

/* With --same-start: c, not settled yet, gets the variant and shape that it
   starts as, or nothing where it cannot, which is said. "auto" takes the most
   restricted variant, the one with the fewest parameters whose function all
   others can start as that can start as another's at all. */
void choose_start(Grid *g, const Options *o, Config *c);
void starts_free(Grid *g);

#endif
