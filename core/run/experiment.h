/* experiment.h - a directory of runs, with a record of the commands that made
   them (the manifest).

   The record, experiment.tsv, has a line for each command. Lines are only
   appended, never changed:

       compare  variant=standard,full-rank  task=recall  d-k=2,4  baseline=mqa

   A line has the command's name and then keys with values, separated by tabs.
   The keys are the settings that were given, their values separated by commas,
   and these:
   precision  double, if it was not float
   by         the setting whose values verdicts compare, if not the variants
   baseline   the value with which the others are compared
   judge      the result that verdicts are about
   margin     the largest difference that counts as none
   from       the run whose weights a train began with
   Tables, figures and reports read in it which values to compare. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "run/run.h"

/* The variant that others are compared with, unless the user names another. */
#define BASELINE "standard"

/* Adds a key to the line of a command, which begins with the command's name. */
void manifest_add(char **line, const char *key, const char *value);

/* The value of a key, interned, or NULL. */
const char *manifest_value(const char *line, const char *key);

/* Adds the lines of an experiment's record to `lines`. A file that is missing
   has none. Exits if a line was cut or changed. */
void manifest_read(const char *directory, Values *lines);

/* Creates the experiment's directory, or checks that it is an experiment's, and
   adds a command's line to its record. */
void experiment_open(const char *directory, const char *line);

/* The finished runs of one or several experiments, each once, and the lines of
   their records. */
typedef struct Experiment {
    Run *runs;
    int count, capacity;
    Values record; /* the lines of the records */
} Experiment;

/* Reads the runs at `count` paths. A path is an experiment's directory, or a
   single run, whose record is in the directory around it. A run that is in
   several places counts once. Exits if a path has no run. */
Experiment experiment_read(const char *const *paths, int count);

/* Was the setting given to a recorded command? Without a record it may have
   been, so the answer is true. */
bool setting_was_given(const Experiment *e, const char *setting);

/* The value of a key, if all recorded compare commands agree on it; else NULL,
   since one of several commands must not decide later tables. */
const char *recorded_value(const Experiment *e, const char *key);

#endif
