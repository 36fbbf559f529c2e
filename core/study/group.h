/* group.h - which runs are averaged, and which are side by side. */
#ifndef GROUP_H
#define GROUP_H

#include "study/frame.h"

/* The runs with one value of `by`, or of all in a list "variant,lr": a curve,
   or a line of the results. */
typedef struct Series {
    const char *name;
    const Run **runs; /* by x, then by their seeds */
    int count;
} Series;

/* What keeps a group apart: "task" and "reverse", "lr" and "0.01". */
typedef struct Axis {
    const char *name, *value;
} Axis;

/* Runs that differ in `by`, in x and in their seeds only. */
typedef struct Group {
    const Run **runs; /* series by series */
    int count;
    Series *series;
    int series_count;
    Axis *axes;
    int axis_count;
    char *name; /* "reverse", "reverse.lr0.01" */
} Group;

/* Cuts the runs into groups: by task, and by every setting that their commands
   asked for and that varies, but for `by`, `x` (a setting, a result or NULL)
   and the seed. Along a result runs of several sizes share a group. Exits where
   two runs that would be averaged differ in more than their seeds. A command
   keeps its groups until it ends. */
Group *groups_of(const Experiment *e, const char *by, const char *x,
                 int *groups);

/* A group's name, or in words, "reverse, learning rate 0.01", without what it
   says of a setting, so that groups which differ only in that have the same
   name; to be freed. */
char *group_text(const Group *g, const char *without, bool in_words);

#endif
