/* figure.h - what is drawn of an experiment. */
#ifndef FIGURE_H
#define FIGURE_H

#include "page/draw.h"
#include "study/outcome.h"

/* Draws o->y against o->x with a curve for each value of o->by, in one panel or
   in several side by side: of the groups, a figure for each quantity; or of the
   quantities, where there is one group. Where several learning rates were
   tried, each seed is shown at the rate at which outcomes_of(r) has it. */
void figures_draw(const Drawing *o, const Request *r, const Experiment *e);

/* Draws the parameter counts of each variant on each task. */
void bars_draw(const Drawing *o, const Experiment *e);

#endif
