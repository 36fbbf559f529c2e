/* figure.h - the figures of an experiment: decides which curves and points they
   show. page/gnuplot_files.h writes them as files. */
#ifndef FIGURE_H
#define FIGURE_H

#include "page/gnuplot_files.h"
#include "study/outcome.h"

/* Draws o->y against o->x, with a curve for each value of o->by. If there are
   several groups (run_groups.h), each quantity of o->y has a figure with a
   panel for each group. A single group has one figure, with a panel for each
   quantity. If several learning rates were tried, each seed is shown at the
   same rate as in the tables of results (outcome.h). */
void figures_draw(const Drawing *o, const Request *r, const Experiment *e);

/* Draws how many parameters each variant has on each task. */
void bars_draw(const Drawing *o, const Experiment *e);

#endif
