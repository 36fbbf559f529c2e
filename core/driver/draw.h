/* draw.h - one figure: NAME.tsv, NAME.gp and what gnuplot makes of them. */
#ifndef DRAW_H
#define DRAW_H

#include <stdio.h>

#include "options.h"

typedef struct Figure {
    char *directory, *name;
    FILE *data, *script;
} Figure;

/* Opens DIRECTORY/NAME.tsv and NAME.gp for writing. */
Figure figure_begin(const char *directory, const char *name);

/* Ends the script with plots/style.gp and plots/KIND.gp, closes both files and
   has gnuplot draw each of o's formats. False where there is no gnuplot: then
   data and script are there all the same. */
bool figure_end(Figure *f, const char *kind, const Options *o);

/* Draws DIRECTORY/NAME.gp, which is there, in one more format. False where
   there is no gnuplot; exits where it fails. */
bool draw_again(const char *directory, const char *name, const char *format);

/* Removes what was begun of a figure that has nothing to show, and says so. */
void figure_drop(Figure *f, const char *why);

#endif
