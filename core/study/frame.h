/* frame.h - the runs of an experiment as one table, with a value for each run
   and name.

   A name is a setting ("lr"), a line of result.tsv, timing.tsv or real.tsv
   ("test_loss", "seconds", "real"), or "run", for the run's own name.
   "solved_at" is the step at which a run reached the threshold; it is not known
   if the run was far below the threshold again at its end. "steps" is a setting
   and a result: its text is the number of steps that the command demanded, its
   number the steps that were taken. */
#ifndef FRAME_H
#define FRAME_H

#include "base/words.h"
#include "run/experiment.h"

/* The value as interned text: a setting as it was given, a variant without its
   path. NULL if the run has no such name, or does not use the setting, so that
   it would be the same run at any value. */
const char *run_value(const Run *r, const char *name);

/* The value as a number: that of a result, or the first in a setting's text
   ("W_Q=0.1"), which is 1 if the text is empty. NaN if the run has no such
   name. */
double run_quantity(const Run *r, const char *name);

/* Is the name known before training, as settings and "run" are? */
bool is_axis(const char *name);

/* " did you mean NAME?", with the nearest name that runs have or, if `logged`,
   that log.tsv has; "" if none is near. */
const char *name_suggestion(const Experiment *e, const char *name, bool logged);

/* Are its values numbers: is it a result, or a setting that takes numbers? */
bool has_numbers(const char *name);

/* The different values among `own`, which run_value returned, in the order of
   series_order. A NULL is no value. */
Values values_of(const char *const *own, int count);

/* The different values that the experiment's runs have, in the same order. */
Values values_in(const Experiment *e, const char *name);

/* Keeps only the runs that meet these conditions: "d-k=8,d-k=16,lr<=0.01,
   seed=1..3". For each name a run must have one of the values or be in one of
   the ranges that are given for it, and it must be within every bound. A run
   that has no value of that name is kept, too. Exits (2) if no run is left. */
void keep_where(Experiment *e, const char *where);

/* The first setting that can change a result, is not in the list `except`, "lr
   seed", and has different values in two configs; NULL if there is none. */
const char *differ_in(const Config *a, const Config *b, const char *except);

/* Compares two values for sorting, or two lists of them such as "fused,0.01":
   "standard" comes first, then numbers by size and words by letter.
   series_sort sorts a list in this order, and keeps each value once. */
int series_order(const char *a, const char *b);
void series_sort(Values *names);

#endif
