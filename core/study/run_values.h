/* run_values.h - the value that a run has for a name, whether the value was set
   before training or measured. `qkv table` prints a row for each run and a
   column for each name.

   A name is one of these:
   - a setting, "lr";
   - a result, which is a line of result.tsv, timing.tsv or real.tsv:
     "test_loss", "seconds", "real";
   - "run", whose value is the run's own name.

   Two names are special. "solved_at" is the step at which a run reached the
   threshold; a run that ended far below the threshold has none. "steps" is both
   a setting and a result: its text is the number of steps that the command
   asked for, and its number is the number of steps that were taken. */
#ifndef RUN_VALUES_H
#define RUN_VALUES_H

#include "base/words.h"
#include "run/experiment.h"

/* The value as interned text: a setting as it was given, but a variant without
   its path, and "none" instead of an empty text. A list of names, "variant,lr",
   has a list of values, "mqa,0.01". NULL if the run has no such name, or if it
   does not use the setting, so that it would be the same at any value. */
const char *run_value_text(const Run *r, const char *name);

/* The value as a number: a result, or the number in a setting's text, such as
   0.1 in "W_Q=0.1". The setting init has the number 1 if it has no factors. NaN
   if the value is a word, or if the run has no such name. */
double run_value_number(const Run *r, const char *name);

/* Returns whether `name` is a setting or "run". Other names are results. */
bool is_setting_or_run(const char *name);

/* Returns whether the values of a name are numbers: true for a setting that
   takes numbers, and for every result except the status; false for "run". */
bool has_numbers(const char *name);

/* The column of log.tsv that has the step; the others have quantities. */
enum { STEP_COLUMN = 0 };

/* Returns " did you mean NAME?", with the nearest name of a setting or result;
   "" if none is near. */
const char *name_suggestion(const Experiment *e, const char *name);

/* The same, with the nearest name of a column of log.tsv. */
const char *logged_suggestion(const Experiment *e, const char *name);

/* Adds the run's value for a name to a list, unless the run has none. */
void add_run_value(Values *values, const Run *r, const char *name);

/* The different values that the experiment's runs have for a name, in the order
   of series_order. */
Values values_in(const Experiment *e, const char *name);

/* Compares two values, or two lists of values such as "fused,0.01", for
   sorting: "standard" comes first; numbers are ordered by size, words by their
   letters. Returns a negative number, 0 or a positive number, as strcmp does.
 */
int series_order(const char *a, const char *b);

/* Sorts a list by series_order, and removes repeated values. */
void series_sort(Values *names);

#endif
