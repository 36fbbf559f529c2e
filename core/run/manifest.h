/* manifest.h - what was asked of an experiment, as its experiment.tsv records
   it: after the first line, a line for each command, which is only ever
   appended.

       format  4
       compare  variant=standard,full-rank  task=recall  d-k=2,4  baseline=mqa

   Between tabs are the command's name, the settings that were given, with their
   values between commas, and manifest_keys. Tables, figures and reports read
   there what was compared, and against what. */
#ifndef MANIFEST_H
#define MANIFEST_H

#include "base/words.h"

/* What the others are compared with unless something else is asked. */
#define BASELINE "standard"

/* The keys that are no settings: "precision", where it is double; "by", what
   verdicts are between where these are not variants; "baseline", what
   differences are taken against, "judge", what verdicts are about, and
   "margin", which differences are none; and "from", the run whose weights a
   train began with. */
extern const char manifest_keys[];

/* Begins the line of a command of this program, to be freed, and adds a key to
   it. */
char *manifest_begin(const char *command);
void manifest_add(char **line, const char *key, const char *value);

/* The value of a key, interned, or NULL. */
const char *manifest_value(const char *line, const char *key);

/* The lines of an experiment's record; none where the file is not there or
   empty. Fails with the line that is wrong. */
Values manifest_read(const char *directory);

/* Appends a line to the record, or starts one, unless that line is there.
   Several commands may do so at once. */
void manifest_record(const char *directory, const char *line);

#endif
