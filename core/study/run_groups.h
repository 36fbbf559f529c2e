/* run_groups.h - divides the runs of an experiment into groups, one for each
   panel of a figure or table.

   A group has one or more series, which are shown side by side, as curves of a
   figure or rows of a table. In a series, the runs at one x are averaged over
   their seeds. */
#ifndef RUN_GROUPS_H
#define RUN_GROUPS_H

#include "study/run_values.h"

/* The runs of a group that have the same value of the setting `by`. If `by` is
   a list, "variant,lr", they have the same value of each setting in it. */
typedef struct Series {
    const char *name; /* this value of `by`: "mqa", or "mqa,0.01" */
    const Run **runs; /* sorted by the setting x, then by seed, then by rate */
    int count;
} Series;

/* A setting that has the same value in all runs of a group, and this value:
   "task" and "reverse", or "d-k" and "4". */
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
    char *name; /* "reverse", "reverse.d-k4"; "all-tasks" without an axis */
} Group;

/* Divides the runs into groups: by task, and by every setting that varies and
   that their commands named, except `by`, x, the seed, and the learning rate,
   which is chosen (choose_rate.h). `by` is a setting or a list of settings. x
   is the x-axis of a figure: a setting, a result, or NO_X. If x is a result,
   runs of several sizes share a group. Fails if two runs that would be averaged
   differ in anything except seed, rate and --log. Sets *groups to the number of
   groups. The groups are never freed. */
Group *groups_of(const Experiment *e, const char *by, const char *x,
                 int *groups);
#define NO_X NULL /* for a table, or for a figure over training */

/* A group's name in words, "reverse, d_k 4", without the axis called `without`.
   With "", no axis is left out. */
char *group_words(const Group *g, const char *without);

/* The level that all runs of a group have: a result such as "chance_loss", or
   "steps", those that were asked. NaN if the runs differ in it. */
double shared_level(const Group *g, const char *name);

#endif
