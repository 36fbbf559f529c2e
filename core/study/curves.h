/* curves.h - what is drawn of runs: the points of each curve, in panels side by
   side. */
#ifndef CURVES_H
#define CURVES_H

#include "math/statistics.h"
#include "page/draw.h"
#include "study/group.h"

/* One quantity of one group of runs, and the figure that it is part of. */
typedef struct Panel {
    const Group *group;
    const char *y;
    char *title;         /* what keeps it apart from the others, or "" */
    char *figure, *runs; /* its name; which runs all panels are of */
    double low, high;    /* of what is drawn, in all panels of the quantity */
    double positive;     /* the lowest of these above 0 */
    bool log;            /* is its axis */
} Panel;

/* A row of the data. */
typedef struct Point {
    Panel *panel;
    const char *series;
    double x; /* its place along x: a number, or that of a word from 1 on */
    Mean y;   /* of its seeds */
} Point;

/* Panels side by side, and what is drawn in them. */
typedef struct Plot {
    const Drawing *o;
    bool over_training;
    Panel *panels;
    int panel_count;
    Values series; /* of all panels */
    Point *points; /* curve by curve */
    int count, capacity;
    Values words; /* along x, the first at 1, where the values are words */
    double *xs;   /* the places along x, where it is not training */
    int places;
    bool log_x;
    int least, most; /* seeds that a point is the mean of */
    bool ends;       /* does a curve end before some of its runs */
} Plot;

/* Finds the series and points of these panels; curves_free frees them. */
Plot curves_of(const Drawing *o, const Experiment *e, Panel *panels, int count);
void curves_free(Plot *all);

/* Has any run of a panel a number there: did it take steps, or end with a
   finite one, or get to the threshold? */
bool has_numbers(const Panel *p, const Drawing *o);

#endif
