/* curves.h - what is drawn of runs: the points of each curve, in panels side by
   side. */
#ifndef CURVES_H
#define CURVES_H

#include "study/drawing.h"
#include "study/group.h"
#include "math/statistics.h"

/* One quantity of one group of runs. */
typedef struct Panel {
    const Group *group;
    const char *y;
    char *title; /* NULL: the quantity, which then is no label of an axis */
    double low, high; /* of what is drawn, in all panels of the quantity: means,
                         and bars around them */
    double positive;  /* the lowest of these above 0 */
    bool log;         /* is its axis */
} Panel;

/* A row of the data. */
typedef struct Point {
    const Panel *panel;
    const char *series;
    double x;
    Mean y;      /* of all seeds, or the number of one: */
    int seed;    /* 0: of all */
    double last; /* the most steps that a run of it took; 0 over training */
} Point;

/* Panels side by side, and what is drawn in them. */
typedef struct Plot {
    const Drawing *o;
    bool over_training, each_seed;
    bool relative; /* are intervals those of logarithms */
    Panel *panels;
    int panel_count;
    Values series; /* of all panels */
    Point *points; /* curve by curve */
    int count, capacity;
    Values words; /* along x, the first at 1, where the values are words */
    double *xs;   /* the places along x, where it is not training */
    int places;
    bool log_x;
    double xlim[2], ylim[2]; /* of the axes; NaN: not given */
    int least, most;         /* seeds that a point is the mean of */
    double longest;          /* run, along x, where that is training */
} Plot;

/* Finds the series and points of these panels; curves_free frees them. */
Plot curves_of(const Drawing *o, const Experiment *e, Panel *panels, int count);
void curves_free(Plot *all);

/* Is each series at a place of its own along x, which names it? */
bool series_along(const Drawing *o);

/* A value of a setting, or several "a,b", as it is called: by its own name, or
   one that --rename gives it. To be freed. */
char *shown_name(const Drawing *o, const char *value);

#endif
