/* fair.h - what makes a comparison fair: equal budgets, equal starts. All of it
   is decided before anything is trained. */
#ifndef FAIR_H
#define FAIR_H

#include "run/request.h"

/* With --match: changes the widths of c's variant, not resolved yet, so that
   one attention costs as nearly what the baseline's does as one whole number
   allows, and says what it changed. d-k and d-v go together where it uses both;
   mla has its latent. */
void meet_budget(const Request *o, Config *c);

/* With --same-start: c, not resolved yet, gets the variant and shape that it
   starts as, or none where it cannot, which is said. */
void choose_start(Config *c);

#endif
