/* panel_script.h - what a figure's script says of its panels. */
#ifndef PANEL_SCRIPT_H
#define PANEL_SCRIPT_H

#include "draw.h"
#include "panel.h"

/* The runs of a series in a group; to be freed. */
const Run **series_runs(const Group *g, const char *by, const char *series,
                        int *count);

/* Writes what plots/panels.gp wants to know: title, series, axes,
   and for each panel titles, range and levels; xs are the places along x. */
void put_script(Figure *f, const Options *o, const char *whose,
                const Values *series, const Panel *panels, int count,
                const double *xs, int places);

#endif
