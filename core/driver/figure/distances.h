/* distances.h - rotary positions: what M is at each distance. */
#ifndef DISTANCES_H
#define DISTANCES_H

#include "model/model.h"
#include "driver/cli/options.h"

/* Prints and draws the scores s x M_i y' of each head of the first place,
   between the tokens that there are, at each of the distances i - j asked for.
 */
void distances_show(const Options *o, const Model *m, const char *run);

#endif
