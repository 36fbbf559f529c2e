/* panel.h - figures of one or more panels.

   A panel shows one quantity of one group of runs, a curve for each series,
   over steps with a band or against a setting or a result with bars. */
#ifndef PANEL_H
#define PANEL_H

#include "figure.h"

typedef struct Panel {
    const Group *group;
    const char *y;
    char *title;
    double low, high; /* of what is drawn: means, and bars around them */
} Panel;

/* Draws them side by side, with what o says of x and series, into
   DIRECTORY/NAME, as several figures where there are more than seven curves;
   `whose` begins the title. True unless gnuplot is not there. */
bool draw_figures(const Options *o, const char *directory, const char *name,
                  const char *whose, Panel *panels, int count);

#endif
