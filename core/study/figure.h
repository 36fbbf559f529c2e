/* figure.h - what is drawn of an experiment. */
#ifndef FIGURE_H
#define FIGURE_H

#include "page/draw.h"
#include "study/group.h"

/* Draws o->y against o->x with a curve for each value of o->by, in one panel or
   in several side by side: of the groups, a figure for each quantity; or of the
   quantities, where there is one group. */
void figures_draw(const Drawing *o, const Experiment *e);

/* Draws the parameter counts of each variant on each task. */
void bars_draw(const Drawing *o, const Experiment *e);

#endif
