/* experiment.h - a directory of runs, with a record of the commands that made
   them (the manifest).

   The record, experiment.tsv, has a line for each command. Lines are only
   appended, never changed:

       compare  variant=standard,full-rank  task=recall  d-k=2,4  baseline=mqa

   A line has the command's name and then KEY=VALUE pairs, separated by tabs. A
   key is a setting that was given, with its values separated by commas, or one
   of these:

   - precision: double, if it was not float
   - by: the setting whose values are compared, if not the variants
   - baseline: the value that the others are compared with
   - judge: the result that is compared
   - margin: the largest difference that counts as none
   - from: the run whose trained weights the runs were initialised from

   Tables, figures and reports find in the record which values they compare. In
   names of functions the record is the manifest. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "run/run.h"

/* The variant that others are compared with, unless the user names another. */
#define BASELINE "standard"

/* Adds KEY=VALUE to the line of a command: sets *line to a new, longer text.
   Before the first call, *line is the command's name. */
void manifest_add(char **line, const char *key, const char *value);

/* The value of a key in a line, interned; NULL if the line has no such key. */
const char *manifest_value(const char *line, const char *key);

/* Adds the lines of an experiment's record to `lines`; adds none if there is no
   record. Exits if a line is cut off or has control characters. */
void manifest_read(const char *directory, Values *lines);

/* Creates the directory of an experiment, and adds a command's line to its
   record unless the record has that line. If the directory exists, exits unless
   it is empty or an experiment. */
void experiment_open(const char *directory, const char *line);

/* Runs of one or more experiments, each run once, and the lines of the
   experiments' records. */
typedef struct Experiment {
    Run *runs;
    int count, capacity;
    Values record; /* the lines of the records */
} Experiment;

/* Reads the runs at `count` paths. A path is an experiment's directory or a
   single run, whose record is in its parent directory. A run that is found
   twice counts once. Exits if a path has no finished run. */
Experiment experiment_read(const char *const *paths, int count);

/* Returns whether the setting was given to any recorded command. Without a
   record the result is true, because the setting may have been given. */
bool setting_was_given(const Experiment *e, const char *setting);

/* The value that all recorded compare commands give a key. NULL if none has the
   key, or if the values differ, because then no command may decide for the
   others. */
const char *recorded_value(const Experiment *e, const char *key);

#endif
