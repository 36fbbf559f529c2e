/* curves.h - what is drawn of runs: the points of each curve, in panels side by
   side. */
#ifndef CURVES_H
#define CURVES_H

#include "math/statistics.h"
#include "driver/cli/options.h"
#include "driver/results/group.h"

/* One quantity of one group of runs. */
typedef struct Panel {
    const Group *group;
    const char *y;
    char *title; /* NULL: the quantity, which then is no label of an axis */
    double low, high; /* of what is drawn: means, and bars around them */
    double positive;  /* the lowest of these above 0 */
} Panel;

/* A row of the data. */
typedef struct Point {
    const Panel *panel;
    const char *series;
    double x;
    Mean y;
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
    double *xs; /* the places along x, where it is not training */
    int places;
    int least, most; /* seeds that a point is the mean of */
    double longest;  /* run, along x, where that is training */
} Plot;

/* Finds the series and points of these panels; curves_free frees them. */
Plot curves_of(const Drawing *o, Panel *panels, int count);
void curves_free(Plot *all);

#endif
