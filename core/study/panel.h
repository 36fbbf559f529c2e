/* panel.h - a figure of one or more panels.

   A panel shows one quantity of one group of runs, a curve for each series,
   over training with a band or against a setting or a result with bars. */
#ifndef PANEL_H
#define PANEL_H

#include "study/curves.h"

/* Draws panels of one figure side by side, or in several figures where there
   are more than seven curves. */
void panels_draw(const Drawing *o, const Experiment *e, Panel *panels,
                 int count);

#endif
