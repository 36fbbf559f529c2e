/* experiment.h - a directory of runs, with the record of what was asked.

   The record, experiment.tsv, has a line for each command, which is only ever
   appended:

       compare  variant=standard,full-rank  task=recall  d-k=2,4  baseline=mqa

   Between tabs are the command's name, the settings that were given, with their
   values between commas, and more: "precision", if it is double; "by", what
   verdicts are between if these are not variants; "baseline", what differences
   are taken against, "judge", what verdicts are about, and "margin", which
   differences are none; and "from", the run whose weights a train began with.
   Tables, figures and reports read there what was compared, and against what.
 */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "run/run.h"

/* What the others are compared with unless something else is asked. */
#define BASELINE "standard"

/* Adds a key to the line of a command, which begins with the command's name. */
void manifest_add(char **line, const char *key, const char *value);

/* The value of a key, interned, or NULL. */
const char *manifest_value(const char *line, const char *key);

/* Adds the lines of an experiment's record; none if the file is not there or
   empty. Fails with the line that is wrong. */
void manifest_read(const char *directory, Values *lines);

/* Makes the experiment's directory, or checks that it is one, and records what
   is asked of it. */
void experiment_open(const char *directory, const char *asked);

/* The trained runs of one or several experiments, each once, and all that was
   asked there. */
typedef struct Experiment {
    Run *runs;
    int count, room;
    Values asked; /* the lines of the records */
} Experiment;

/* Reads them. A path is an experiment's directory, or a run, whose record is
   that of the experiment around it. A run that is in several places counts
   once. Fails where there is none. */
Experiment experiment_read(const char *const *paths, int count);

/* Was the setting given to a command that is recorded? Where there is no
   record, any may have been. */
bool experiment_asks(const Experiment *e, const char *setting);

/* What every compare that is recorded said under that key, or NULL. What one of
   several said, only to look, does not rule later tables and reports. */
const char *experiment_said(const Experiment *e, const char *key);

#endif
