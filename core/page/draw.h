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
    const char *format, *size, *x, *y, *by, *facet;
    const char *gnuplot; /* a line for its script, or NULL */
    bool map, log_x, log_y, quiet;
    bool together; /* groups of a task are panels of one figure */
} Drawing;

/* The words of --format, and what is drawn over steps unless it is said. */
#define FORMATS "svg png pdf tikz cairolatex dumb"
extern const char default_y[];

typedef struct Figure {
    const Drawing *o;
    Path directory; /* o->out/figures */
    char *name;
    Draft *draft; /* where it is drawn */
    FILE *data, *script;
    char **text; /* of the script */
} Figure;

/* Begins a figure in o->out/figures, which is made where it is not there. NAME
   is the one that is wanted, in the letters that a file of ours may have. Exits
   where its script is there and was edited. */
Figure figure_begin(const Drawing *o, const char *wanted);

/* Its title, and its caption NAME.txt: that and what has to be known to read
   it, sentences that each follow a blank. */
void figure_title(const Figure *f, const char *title, const char *notes);

/* A variable of the script, or an array of it, which has at least one element:
   key = 'text'. A text may be the name of a stranger's run: in single quotes
   nothing is gnuplot's but the quote, which is doubled. */
void figure_word(const Figure *f, const char *key, const char *text);
void figure_words(const Figure *f, const char *key, const Values *words);

/* Ends the script with o's line of gnuplot, plots/style.gp and plots/KIND.gp,
   and has gnuplot draw each of o's formats. All of it is kept, or it exits and
   nothing is. Where there is no gnuplot, it leaves data and script and says,
   once, how to draw them. */
void figure_end(Figure *f, const char *kind);
extern int figures_drawn; /* how many were ended */

/* Where the plot scripts are: beside the program, or where it was installed; to
   be freed. */
char *plots_directory(void);

#endif
