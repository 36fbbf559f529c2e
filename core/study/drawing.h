/* drawing.h - what a figure is asked to show. */
#ifndef DRAWING_H
#define DRAWING_H

#include <stdbool.h>

typedef struct Drawing {
    const char *out; /* goes into figures/ there */
    const char *format, *size, *x, *y, *by, *facet;
    const char *show, *spread; /* or NULL */
    const char *gnuplot;       /* a line for its script, or NULL */
    bool map, log_x, log_y, quiet;
    bool together; /* groups of a task are panels of one figure */
} Drawing;

/* The words of --format, and what is drawn over steps unless it is said. */
#define FORMATS "svg png pdf tikz cairolatex dumb"
extern const char default_y[];

#endif
