/* draw.h - one figure: NAME.tsv, NAME.gp and what gnuplot makes of them. */
#ifndef DRAW_H
#define DRAW_H

#include <stdio.h>

#include "options.h"

typedef struct Figure {
    char *directory, *name;
    FILE *data, *script;
} Figure;

/* Opens DIRECTORY/NAME.tsv and NAME.gp for writing, in a directory that is made
   where it is not there, and the one above it too. */
Figure figure_begin(const char *directory, const char *name);

/* KEY = 'TEXT' in the script. Nothing in the text is gnuplot's: it may be the
   name of a stranger's run. */
void figure_text(const Figure *f, const char *key, const char *text);

/* KEY = 'WORD WORD ...', as gnuplot's word() takes it apart again. */
void figure_words(const Figure *f, const char *key, char *const *words,
                  int count);

/* Ends the script with plots/style.gp and plots/KIND.gp, closes both files and
   has gnuplot draw each of o's formats. False where there is no gnuplot: then
   data and script are there all the same. */
bool figure_end(Figure *f, const char *kind, const Options *o);

/* Removes what was begun of a figure that has nothing to show, and says so. */
void figure_drop(Figure *f, const char *why);

/* Where the plot scripts are: beside the program, or where it was installed; to
   be freed. */
char *plots_directory(void);

#endif
