/* frame.h - the runs of an experiment as one table: what each has under a name.

   Names are those of the settings ("lr"), of the lines of result.tsv,
   timing.tsv and real.tsv ("test_loss", "seconds", "real"), and "run", its own
   name. Where a run was far below the threshold again at its end, "solved_at",
   the step at which it got there, is not known. "steps" is a setting and a
   result: how many were asked for is its text, how many were taken its number.
 */
#ifndef FRAME_H
#define FRAME_H

#include "base/words.h"
#include "run/experiment.h"

/* As text, interned: a setting as it was given (the variant without its path).
   NULL if the run has nothing of that name, or does not use the setting, and
   would be the same whatever its value. */
const char *run_value(const Run *r, const char *name);

/* As a number: a result, or the first number in a setting's text ("W_Q=0.1"; 1
   if it is empty). NaN if the run has nothing of that name. */
double run_quantity(const Run *r, const char *name);

/* Is it known before training: a setting, or which run it is? */
bool is_axis(const char *name);

/* Is it a number, and no word: a result, or a setting that has numbers? */
bool is_number(const char *name);

/* Values of runs as run_value returns them, in order, each once; and what all
   runs have under a name. */
Values values_of(const char *const *own, int count);
Values values_in(const Experiment *e, const char *name);

/* Keeps the runs that have these values, "lr=0.01,d-k=8,d-k=16": of each name
   one of the values given, or nothing of that name. Exits (2) where none is
   left. */
void keep_where(Experiment *e, const char *where);

/* The first setting that decides a result and in which two runs differ, leaving
   out these, "lr seed"; NULL if there is none. */
const char *differ_in(const Config *a, const Config *b, const char *but);

/* The order of two values, or lists of them, "fused" or "fused,0.01": the
   baseline, numbers by size, names by letter. Sorts a list by it, and leaves
   each value once. */
int series_order(const char *a, const char *b);
void series_sort(Values *names);

#endif
