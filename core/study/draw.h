/* draw.h - one figure: its data NAME.tsv, script NAME.gp and caption NAME.txt,
   and what gnuplot makes of them. */
#ifndef DRAW_H
#define DRAW_H

#include <stdio.h>

#include "base/files.h"
#include "study/drawing.h"

typedef struct Figure {
    const Drawing *o;
    Path directory;    /* o->out/figures */
    char *name, *seal; /* the last line of the script of that name, or "" */
    Draft *draft;      /* where it is drawn */
    FILE *data, *script;
    char **text; /* of the script */
} Figure;

/* Begins a figure in o->out/figures, which is made where it is not there. NAME
   is the one that is wanted, in the letters that a file of ours may have. Exits
   where its script is there and was edited. */
Figure figure_begin(const Drawing *o, const char *wanted);

/* Its title, and its caption NAME.txt: a line of that and of what has to be
   known to read it, which a paper prints, and one of what is seen, for those
   who do not see it. Sentences, each after a blank. Where a PDF is drawn, also
   the float NAME.tex, which a paper can \input. */
void figure_title(const Figure *f, const char *title, const char *notes,
                  const char *seen);

/* A block $KEY of the script, a line a text. It may be the name of a stranger's
   run: nothing in a block is gnuplot's, since each line begins with | and so
   none ends it. plots/style.gp reads it. */
void figure_words(const Figure *f, const char *key, const Values *words);

/* The same of titles and labels, in which d_k, R^2 and 10^{-1} are maths. */
void figure_labels(const Figure *f, const char *key, const Values *words);
void figure_label(const Figure *f, const char *key, const char *text);

/* The bytes of the longest of some texts, by which room is left for them. */
int longest_of(const Values *words);

/* Ends the script with plots/style.gp and plots/KIND.gp, and has gnuplot draw
   each of o's formats. All of it is kept, or it exits and nothing is. Where
   there is no gnuplot, it leaves data and script and says, once, how to draw
   them. */
void figure_end(Figure *f, const char *kind);
extern int figures_drawn; /* how many were ended */

/* Where the plot scripts are: beside the program, or where it was installed; to
   be freed. */
char *plots_directory(void);

#endif
