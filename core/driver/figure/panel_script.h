/* panel_script.h - what a figure's script says of its panels. */
#ifndef PANEL_SCRIPT_H
#define PANEL_SCRIPT_H

#include "driver/figure/draw.h"
#include "driver/figure/panel.h"

/* Writes what plots/panels.gp wants to know: title, series, axes,
   and for each panel titles, range and levels; xs are the places along x.
   And what is seen in it, in words, from the curves of all panels. */
void put_script(Figure *f, const Options *o, const char *whose,
                const Values *series, const Panel *panels, int count,
                const Curve *curves, const double *xs, int places);

#endif
