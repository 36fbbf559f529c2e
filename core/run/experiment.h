/* experiment.h - a directory of runs, with a record of the commands that made
   them (the manifest).

   The record, experiment.tsv, has a line for each command. Lines are only
   appended, never changed:

       compare  variant=standard,full-rank  task=recall  d-k=2,4  baseline=mqa

   A line has the command's name and then keys with values, separated by tabs.
   The keys are the settings that were given, their values separated by commas,
   and these:

   - precision: double, if it was not float
   - by: the setting whose values verdicts compare, if not the variants
   - baseline: the value with which the others are compared
   - judge: the result that verdicts are about
   - margin: the largest difference that counts as none
   - from: the run with whose weights the training of another began

   Tables, figures and reports find in the record which values they compare.
   Code calls the record "manifest". */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "run/run.h"

/* The variant that others are compared with, unless the user names another. */
#define BASELINE "standard"

/* Adds KEY=VALUE to the line of a command: replaces *line by a longer line.
   Before the first call, *line is the command's name. */
void manifest_add(char **line, const char *key, const char *value);

/* The value of a key in a line, interned; NULL if the line does not have it. */
const char *manifest_value(const char *line, const char *key);

/* Adds the lines of an experiment's record to `lines`; none if there is no
   file. Exits if a line was cut or changed. */
void manifest_read(const char *directory, Values *lines);

/* Creates the experiment's directory, or checks that it is an experiment's, and
   adds a command's line to its record. */
void experiment_open(const char *directory, const char *line);

/* The finished runs of one or more experiments, without duplicates, and the
   lines of their records. */
typedef struct Experiment {
    Run *runs;
    int count, capacity;
    Values record; /* the lines of the records */
} Experiment;

/* Reads the runs at `count` paths. A path is an experiment's directory, or a
   single run, whose record is in the directory around it. A run that is in
   several places counts once. Exits if a path has no run. */
Experiment experiment_read(const char *const *paths, int count);

/* Returns whether the setting was given to a recorded command; true if there is
   no record, because the setting may have been given. */
bool setting_was_given(const Experiment *e, const char *setting);

/* The value that all recorded compare commands have for a key. NULL if they
   differ, because one of several commands must not decide later tables; or if
   none has it. */
const char *recorded_value(const Experiment *e, const char *key);

#endif
