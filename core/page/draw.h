/* draw.h - one figure: its data NAME.tsv, script NAME.gp and caption NAME.txt,
   and what gnuplot makes of them. */
#ifndef DRAW_H
#define DRAW_H

#include <stdbool.h>
#include <stdio.h>

#include "base/files.h"
#include "base/words.h"

/* What a figure is to show, and where it goes. */
typedef struct Drawing {
    const char *out; /* goes into figures/ there */
    const char *format;
    const char *size;  /* "column", or points; NULL: as wide as a page */
    const char *x, *y; /* NULL: loss and accuracy over training */
    const char *by;
    const char *gnuplot; /* a line for its script, or NULL */
    bool map, log_y, quiet;
} Drawing;

/* Can a figure be as wide as that: "column", or 20 to 5,000 points? */
bool size_is_known(const char *size);

#define FORMATS "svg png pdf cairolatex" /* what gnuplot makes of it */

typedef struct Figure {
    const Drawing *o;
    char *directory; /* o->out/figures */
    char *name, *title;
    Draft *draft; /* where it is drawn */
    FILE *data, *script;
} Figure;

/* Begins a figure in o->out/figures, which is made where it is not there. NAME
   is the one that is wanted, in the letters that a file of ours may have; its
   title is "RUNS: WHAT", or WHAT where RUNS is "". Exits where its script is
   there and was edited. Only one figure is drawn at a time. */
Figure figure_begin(const Drawing *o, const char *wanted, const char *runs,
                    const char *what);

/* A variable of the script, key = 'text', or an array of it, unless it has no
   elements. They may be of a stranger's run, and are escaped. */
void figure_word(const Figure *f, const char *key, const char *text);
void figure_words(const Figure *f, const char *key, const Values *words);

/* Ends the script with o's line of gnuplot, plots/style.gp and plots/KIND,
   and has gnuplot draw each of o's formats. The caption NAME.txt is the title
   and what is drawn, or "". All of it is kept, or it exits and nothing is.
   Where there is no gnuplot, it leaves data and script, and says so. */
void figure_end(Figure *f, const char *kind, const char *drawn);
extern int figures_drawn; /* how many were ended */

#endif
