/* group.h - which runs are averaged, and which are side by side. */
#ifndef GROUP_H
#define GROUP_H

#include "base/words.h"
#include "run/experiment.h"

/* A run's value under a name, interned: a setting as it was given (the variant
   without its path), or "experiment", the directory that the run is in. If
   --match has chosen a width, it is the width of the variant whose budget is
   met. NULL if the run does not use the setting, and would be the same whatever
   its value. */
const char *run_value(const Run *r, const char *name);

/* Is there such a name? */
bool is_axis(const char *name);

/* What all runs have under a name, in order, each value once. */
Values values_in(const Experiment *e, const char *name);

/* Keeps the runs that have these values, "lr=0.01,d-k=8,d-k=16": of each named
   setting one of the values given, or no use for it. Exits (2) where none is
   left. */
void keep_where(Experiment *e, const char *where);

/* Do two runs differ in nothing but these settings, "lr seed"? */
bool same_but(const Config *a, const Config *b, const char *but);

/* The order of two values, "fused" or "fused,0.01": the baseline, numbers by
   size, names by letter. Sorts a list by it, and leaves each value once. */
int series_order(const char *a, const char *b);
void series_sort(Values *names);

/* The runs with one value of `by`, or of all in a list "variant,lr": a curve,
   or a line of the results. */
typedef struct Series {
    const char *name;
    const Run **runs; /* by their seeds */
    int count;
} Series;

/* Runs that differ in `by`, in x and in their seeds only. */
enum { MOST_AXES = 8 };
typedef struct Group {
    const Run **runs; /* series by series */
    int count;
    Series *series;
    int series_count;
    const char *axis[MOST_AXES], *key[MOST_AXES]; /* what keeps it apart */
    int axes;
    bool tasks; /* are there runs of several */
    char *name; /* "reverse", "reverse.lr0.01" */
} Group;

/* Cuts the runs into groups: by task, by every setting that their commands
   asked for and that varies, and by experiment if that is the facet, but for
   `by`, `x` (a setting, a result or NULL) and the seed. Along a result runs of
   several sizes share a group, unless `facet` (or NULL) is that size. */
Group *groups_of(const Experiment *e, const char *by, const char *x,
                 const char *facet, int *groups);
void groups_free(Group *g, int groups);

/* A group's name without what it says of a setting, so that groups which differ
   only in that have the same name; to be freed. */
char *group_name(const Group *g, const char *without);

/* Its series of that name, or NULL. */
const Series *group_series(const Group *g, const char *name);

#endif
