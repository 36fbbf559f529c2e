/* recipe.h - an experiment written down: the commands that make a figure. */
#ifndef RECIPE_H
#define RECIPE_H

#include "driver/cli/options.h"

/* Runs the commands of plots/recipes/NAME.txt, where --recipe gives a NAME, or
   of that file where it has a slash or ends in .txt, line by line; a line
   begins with compare, equiv, count or plot, `double` before it takes
   qkv-double, {plots} in it is the directory of plot scripts. Lines with # are
   what the figure shows. Variants, seeds, baseline, judge and margin that are
   given too replace the lines'. Leaves the recipe, as it was run, as recipe.txt
   beside the runs. Exits where it is not there, a line cannot be understood, or
   a command fails.

   The same for --claim (driver/report/claim.h), of plots/recipes/claims; and
   prints what came out. With --plan only the plans of its compare lines are
   printed. */
void recipe_run(const Options *o);

/* Draws again, as o->draw says, what the recipe of an experiment draws. */
void recipe_plots(const Options *o, const char *experiment);

#endif
