/* panel.h - figures of one or more panels.

   A panel shows one quantity of one group of runs, a curve for each series,
   over training with a band or against a setting or a result with bars. */
#ifndef PANEL_H
#define PANEL_H

#include "study/curves.h"

/* Draws them side by side, with what o says of x and series, as figure NAME, or
   as several where there are more than seven curves, NAME-map or NAME-seeds
   where o asks for these; `whose` begins the title. */
void draw_figures(const Drawing *o, const Experiment *e, const char *name,
                  const char *whose, Panel *panels, int count);

#endif
