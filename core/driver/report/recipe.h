/* recipe.h - an experiment written down: the commands that make a figure. */
#ifndef RECIPE_H
#define RECIPE_H

#include "driver/cli/options.h"

/* Runs the commands of plots/recipes/NAME.txt, or of the file `name` where that
   has a slash or ends in .txt, in d->out, `jobs` runs at once, line by line; a
   line begins with compare, equiv or plot, `double` before it takes qkv-double,
   {plots} in it is the directory of plot scripts. Lines with # are what the
   figure shows. Leaves a copy as recipe.txt beside the runs. Exits where the
   recipe is not there, a line cannot be understood, or a command fails. */
void recipe_run(const char *name, const Drawing *d, int jobs);

/* Draws again, into d->out, what the recipe of an experiment draws. */
void recipe_plots(const Drawing *d, const char *experiment);

#endif
