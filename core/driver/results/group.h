/* group.h - which runs are averaged, and which stand side by side. */
#ifndef GROUP_H
#define GROUP_H

#include "base/words.h"
#include "run/run.h"

#define BASELINE "standard" /* comes first among series */

/* Runs that differ in `by` and in their seeds only, and the values of `by`
   that occur among them. */
typedef struct Group {
    const Run **runs;
    int count, room;
    const Run **kinds; /* one of each that is told apart by more than seeds */
    int kind_count, kind_room;
    char *name; /* "reverse", "reverse.lr0.01" */
    Values series;
} Group;

/* Cuts the runs into groups: by task and by every setting that varies within a
   series, but for `by`, `x` (a setting, or NULL) and the seed. */
Group *groups_of(const Run *runs, int count, const char *by, const char *x,
                 int *groups);
void groups_free(Group *g, int groups);

/* The runs of a series in a group; to be freed. */
const Run **series_runs(const Group *g, const char *by, const char *series,
                        int *count);

/* The order of series: the baseline, numbers by size, names by letter. It does
   not depend on the order of the runs, so that a figure drawn again is the
   same. */
bool series_before(const char *a, const char *b);

/* The files of a directory whose names end so, without that, in that order. */
Values files_in(const char *directory, const char *ending);

/* Adds a value to a list in that order, if it is new. */
void add_series(Values *s, const char *value);

/* Do two runs differ in nothing but that setting? */
bool same_but(const Run *a, const Run *b, const char *setting);

/* A run's setting as text; the variant without its path. */
void run_setting(const Run *r, const char *setting, char text[VALUE_SIZE]);

/* The same as part of the name of a group: of a hash its first digits. */
void setting_part(const Run *r, const char *setting, char text[VALUE_SIZE]);

/* The runs of an experiment, or one, that were trained. Those that equiv
   converted are nobody's seed, and have no curve: they are counted in *skipped.
 */
Run *trained_runs(const char *directory, int *count, int *skipped);

#endif
