/* gnuplot_files.h - one figure: its data NAME.tsv, its script NAME.gp, its
   caption NAME.txt, and the pictures that gnuplot draws from them.
   study/figure.h and the commands decide which numbers a figure shows; here
   they become files. The colours and line widths of all figures are in
   plots/style.gp.

       Figure f = figure_begin(o, "loss", "recall: mean of 5 seeds");
       fprintf(f.data, ...);
       figure_word(&f, "xlabel", "step");
       f.drawn = "test loss against step";
       figure_end(&f, "panels.gp"); */
#ifndef GNUPLOT_FILES_H
#define GNUPLOT_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/files.h"

/* The options of figures: what they show, and where they are written. */
typedef struct Drawing {
    const char *out;     /* a directory: figures are in figures/ there */
    const char *format;  /* a list of FORMATS, "svg,png" */
    const char *size;    /* its width: "column", or points; NULL: a page's */
    const char *x, *y;   /* the axes; NULL: loss and accuracy over training */
    const char *by;      /* settings, "a,b": a curve for each of their values */
    const char *gnuplot; /* a line for the script, or NULL */
    bool map;            /* y is a colour, over the axes x and `by` */
    bool log_y;          /* the y axis is logarithmic */
    bool quiet;          /* no note says what was drawn */
} Drawing;

/* Returns whether `size` is a width that a figure can have: "column", or a
   number of points from LEAST_WIDTH to MOST_WIDTH. */
enum { LEAST_WIDTH = 20, MOST_WIDTH = 5000 };
bool size_is_known(const char *size);

#define FORMATS "svg png pdf cairolatex" /* the formats of pictures */

typedef struct Figure {
    const Drawing *o;
    char *directory; /* o->out/figures */
    char *name;
    const char *title;
    const char *drawn;   /* for the caption: what is drawn; NULL, unless the
                            caller sets it */
    Draft *draft;        /* holds its files until all are complete */
    FILE *data, *script; /* the caller writes to them */
    char **script_text;  /* *script_text becomes what is written to `script` */
} Figure;

/* Begins a figure in o->out/figures, and makes that directory if necessary. The
   figure's NAME is plain_name(wanted). Fails if somebody has edited a script of
   that name. */
Figure figure_begin(const Drawing *o, const char *wanted, const char *title);

/* figure_word sets a variable of the script, key = 'text'. figure_words sets it
   to an array of texts, or does nothing if there are none. Texts are escaped,
   since they may come from a stranger's run. */
void figure_word(const Figure *f, const char *key, const char *text);
void figure_words(const Figure *f, const char *key, const Values *words);

/* Ends the script with o->size, the line o->gnuplot, plots/style.gp and
   plots/KIND, and lets gnuplot draw it in each format. KIND is a script such as
   "panels.gp". The caption is the title, followed by f->drawn. Either all files
   of the figure are written, or the call fails and none is written. If gnuplot
   is not installed, there are no pictures, and a note says so unless
   o->quiet. */
void figure_end(Figure *f, const char *kind);
extern int figures_drawn; /* the number of calls of figure_end */

#endif
