/* group.h - which runs are averaged, and which are side by side. */
#ifndef GROUP_H
#define GROUP_H

#include "study/frame.h"

/* The runs with one value of `by`, or of all in a list "variant,lr": a curve,
   or a line of the results. */
typedef struct Series {
    const char *name;
    const Run **runs; /* by a setting x, then by their seeds and rates */
    int count;
} Series;

/* What keeps a group apart: "task" and "reverse", "d-k" and "4". */
typedef struct Axis {
    const char *name, *value;
} Axis;

/* Runs that differ in `by`, in x, in their seeds and learning rates only. */
typedef struct Group {
    const Run **runs; /* series by series */
    int count;
    Series *series;
    int series_count;
    Axis *axes;
    int axis_count;
    char *name; /* "reverse", "reverse.d-k4" */
} Group;

/* Cuts the runs into groups: by task, and by every setting that their commands
   asked for and that varies, except for `by`, `x` (a setting, a result or
   NULL), the seed, and the learning rate, which is chosen (rate.h). Along a
   result runs of several sizes share a group. Exits where two runs that would
   be averaged differ in more than their seeds. A command keeps its groups until
   it ends. */
Group *groups_of(const Experiment *e, const char *by, const char *x,
                 int *groups);

/* A group's name, or in words, "reverse, d_k 4", without what it
   says of a setting, so that groups which differ only in that have the same
   name. */
char *group_text(const Group *g, const char *without, bool in_words);

#endif
