/* group.h - which runs are averaged, and which are side by side. */
#ifndef GROUP_H
#define GROUP_H

#include "base/words.h"
#include "run/experiment.h"

/* The runs with one value of `by`, or of all in a list "variant,lr": a curve,
   or a line of the results. */
typedef struct Series {
    const char *name;
    const Run **runs; /* by their seeds */
    int count;
} Series;

/* Runs that differ in `by`, in x and in their seeds only. */
typedef struct Group {
    const Run **runs; /* series by series */
    int count, room;
    Series *series;
    int series_count;
    const char **key; /* by place in settings[], and behind them the experiment:
                         what keeps it apart, or NULL */
    bool tasks;       /* are there runs of several */
    char *name;       /* "reverse", "reverse.lr0.01" */
} Group;

/* Cuts the runs into groups: by task, by every setting that their commands
   asked for and that varies, and by experiment if that is the facet, but for
   `by`, `x` (a setting, a result or NULL) and the seed. Along a result runs of
   several sizes share a group, unless `facet` (or NULL) is that size. */
Group *groups_of(const Experiment *e, const char *by, const char *x,
                 const char *facet, int *groups);
void groups_free(Group *g, int groups);

/* A group's name without what it says of a setting, so that groups which differ
   in that alone have the same; to be freed. */
char *group_name(const Group *g, const char *without);

/* Its series of that name, or NULL. */
const Series *group_series(const Group *g, const char *name);

/* The order of series: the baseline, numbers by size, names by letter. It does
   not depend on the order of the runs, so that a figure drawn again is the
   same. Sorts a list by it, and leaves each name once. */
bool series_before(const char *a, const char *b);
void series_sort(Values *names);

/* A setting of that name; "experiment", the directory that a run is in, is
   taken for one. NULL if there is none. */
const Setting *axis_named(const char *name);

/* Do two runs differ in nothing but these settings, "lr seed"? */
bool same_but(const Config *a, const Config *b, const char *but);

/* Leaves the runs that have these values, "lr=0.01,d-k=8,d-k=16", of a setting
   one of those that are given, or no use for it; exits (2) where none has. */
void keep_where(Experiment *e, const char *where);

/* Were there different values of it asked for in the runs of a task? */
bool task_varies(const Experiment *e, const char *task, const Setting *s);

/* A run's setting as text; the variant without its path. */
void run_setting(const Run *r, const char *setting, char text[VALUE_SIZE]);

/* The same as it was asked for, interned: of a width that --match has chosen
   that of the variant whose budget it meets. NULL where the run has no use for
   the setting, and would be the same whatever it is. */
const char *run_asked(const Run *r, const Setting *s);

/* What was asked for of a setting in all runs, in order, each once. */
Values values_in(const Experiment *e, const char *setting);

#endif
