/* draw.h - one figure: its data NAME.tsv, its script NAME.gp, its caption
   NAME.txt, and the pictures that gnuplot draws from them. study/figure.h and
   the commands decide which numbers a figure shows; here they become files.

       Figure f = figure_begin(o, "loss", "recall", "mean of 5 seeds");
       fprintf(f.data, ...);
       figure_word(&f, "xlabel", "step");
       figure_end(&f, "panels.gp", "test loss against step"); */
#ifndef DRAW_H
#define DRAW_H

#include <stdbool.h>
#include <stdio.h>

#include "base/files.h"
#include "base/words.h"

/* The options of figures: what they show, and where they are written. */
typedef struct Drawing {
    const char *out;     /* a directory: figures are in figures/ there */
    const char *format;  /* a list of FORMATS */
    const char *size;    /* the width: "column", or points; NULL: a page */
    const char *x, *y;   /* NULL: loss and accuracy over training */
    const char *by;      /* a curve for each value of this setting */
    const char *gnuplot; /* a line for the script, or NULL */
    bool map, log_y, quiet;
} Drawing;

/* Is it a width that a figure can have: "column", or 20 to 5,000 points? */
bool size_is_known(const char *size);

#define FORMATS "svg png pdf cairolatex" /* that gnuplot can draw */

typedef struct Figure {
    const Drawing *o;
    char *directory; /* o->out/figures */
    char *name, *title;
    Draft *draft; /* holds its files until all are complete */
    FILE *data, *script;
} Figure;

/* Begins a figure in o->out/figures, and makes that directory if necessary. The
   figure's NAME is plain_name(wanted). Its title is "RUNS: WHAT", or WHAT if
   RUNS is "". Fails if somebody has edited a script of that name. Only one
   figure can be begun at a time. */
Figure figure_begin(const Drawing *o, const char *wanted, const char *runs,
                    const char *what);

/* Set a variable of the script, key = 'text', or an array, unless it is empty.
   The texts may come from a stranger's run, so they are escaped. */
void figure_word(const Figure *f, const char *key, const char *text);
void figure_words(const Figure *f, const char *key, const Values *words);

/* Ends the script with o->gnuplot, plots/style.gp and plots/KIND, and lets
   gnuplot draw it in each format. The caption is the title, followed by `drawn`
   unless that is "". All files of the figure are published together, or it
   fails and none is. Without gnuplot there are no pictures, and a note says so.
 */
void figure_end(Figure *f, const char *kind, const char *drawn);
extern int figures_drawn; /* how many figures were ended so far */

#endif
