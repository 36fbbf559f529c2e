/* run_groups.h - which runs are averaged, and which are shown side by side. */
#ifndef RUN_GROUPS_H
#define RUN_GROUPS_H

#include "study/run_values.h"

/* The runs with one value of `by`, or, if `by` is a list "variant,lr", with one
   value of each setting in it. A series is a curve of a figure, or a row of a
   table. */
typedef struct Series {
    const char *name;
    const Run **runs; /* sorted by the setting x, then by seed, then by rate */
    int count;
} Series;

/* A value that all runs of a group share: "reverse" of "task", "4" of "d-k". */
typedef struct Axis {
    const char *name, *value;
} Axis;

/* Runs that differ only in `by`, in x, in seeds and in learning rates. */
typedef struct Group {
    const Run **runs; /* of all series, one series after another */
    int count;
    Series *series;
    int series_count;
    Axis *axes;
    int axis_count;
    char *name; /* "reverse", "reverse.d-k4" */
} Group;

/* Divides the runs into groups: by task, and by every setting that varies and
   that their commands named, except `by`, `x` (a setting, a result or NULL),
   the seed, and the learning rate, which is chosen (choose_rate.h). If x is a
   result, runs of several sizes share a group. Fails if two runs that would be
   averaged differ in more than their seeds. The groups are never freed. */
Group *groups_of(const Experiment *e, const char *by, const char *x,
                 int *groups);

/* A group's name, "reverse.d-k4", or the same in words, "reverse, d_k 4".
   Leaves out the axis called `without`. */
char *group_text(const Group *g, const char *without, bool in_words);

#endif
