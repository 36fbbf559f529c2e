/* quantity.h - what is known of each number that runs have: how it is called,
   which way is better, how it is drawn and averaged. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stdbool.h>

#include "config/tasks.h"
#include "math/statistics.h"
#include "run/run.h"
#include "study/group.h"

typedef struct Quantity {
    const char *name;         /* in log.tsv or result.tsv */
    const char *title, *unit; /* on an axis */
    enum { OTHER, LOSS, ACCURACY } measure;
    enum { NEITHER, LESS, MORE } better;
    enum { ANY, SHARE, POWERS } scale; /* 0 to 1; may span powers of ten */
    bool fixed;                        /* training does not change it */
    bool median;                       /* not a mean; a 0 is never */
    bool counted;                      /* 0 or 1: the mean is a share of runs */
    const char *margin; /* a smaller difference is none; "10%": of the baseline;
                           NULL: that cannot be said of it */
    int turn; /* when verdicts are about it: the first that can tell; 0: never,
                 unless asked */
    const char *level; /* what curves of its measure are compared with, */
    const char *split; /* of these data, where a file's parts differ: how the
                          names of what they are compared with begin */
    double (*of)(const Run *); /* where it is no line of result.tsv */
} Quantity;

extern const Quantity quantities[];
extern const int quantity_count;

/* Its row; one that says nothing of it where it has none. */
const Quantity *quantity_named(const char *name);

/* That which verdicts are about at that turn, from 1 on; NULL after the last.
 */
const char *quantity_at(int turn);

/* A quantity or setting in words, for an axis, as the task measures it (NULL:
   any task); to be freed. */
char *axis_title(const char *name, const KnownTask *t);

/* A group's name (group_name) in words: "reverse, learning rate 0.01"; to be
   freed. */
char *group_title(const Group *g, const char *without);

double run_quantity(const Run *r, const char *name);

/* The number that is judged: NaN where the run never got to the threshold, or
   where its variant has no such number. */
double run_judged(const Run *r, const char *name);

/* Which difference of it is none, in its unit: what is given of it in
   "test_accuracy=0.02,solved_at=5%", or its own margin. Per cent are of the
   mean over these runs, the baseline's. */
double margin_of(const char *margins, const char *name, const Run *const *runs,
                 int count);

/* Is it a level to compare y with, in runs like this one? */
bool is_level(const Quantity *q, const char *y, const Run *r);

/* Did it get to the threshold, and was far below it again at the end? Then it
   has no step at which it was solved. */
bool run_lost(const Run *r);

/* "loss, accuracy": what a run logged, over steps or at its end; to be
   freed. */
char *quantity_names(const Run *r, bool over_steps);

/* Exits (2) with the names there are where the runs have no such quantity: of
   log.tsv where it is followed over steps, else of result.tsv. */
void check_quantity(const Run *runs, int count, const char *name,
                    bool over_steps);

/* The mean of some values of it and its interval by Student's t, which ends
   where there are no values: a share is between 0 and 1, a loss not below 0. */
Mean values_mean(const char *name, const double *x, int n);

/* The same over runs, at least one; or the median and its interval, which ends
   with all the steps there were where runs needed more; or the share of runs,
   by Wilson's. */
Mean quantity_mean(const Run *const *runs, int count, const char *name);

/* Does x measure training itself, "step" or "flops", and did the run log all of
   "y,y" as it went? FLOPs are a line of its results, too, beside what it did
   not log. */
bool over_training(const Run *r, const char *x, const char *y);

/* How far along such an x a run was after so many steps. FLOPs are attention's;
   a backward pass takes twice the forward one (Kaplan et al. 2020). */
double run_progress(const Run *r, const char *x, double steps);
const char *progress_title(const char *x);

/* Where a run is along x: what was asked for of a setting, the first number in
   its text ("W_Q=0.1"; 1 where it is empty), or a line of result.tsv. A run
   that has no use for the setting has no place, NaN, and is the same
   everywhere. */
double run_place(const Run *r, const char *x);

#endif
