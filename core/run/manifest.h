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

/* What the others are compared with unless something else is asked. */
#define BASELINE "standard"

/* What one command asked: its line. */
typedef struct Manifest {
    char *line;
} Manifest;

/* The keys that are no settings: "precision", where it is double; "by", what
   verdicts are between where these are not variants; "baseline", what
   differences are taken against, "judge", what verdicts are about, and
   "margin", which differences are none; "from", the run whose weights a train
   began with; "run" and "to", what an equiv converted into which variant. */
extern const char manifest_keys[];

/* Begins one of this program, and adds a key to it. */
Manifest manifest_begin(const char *command);
void manifest_add(Manifest *a, const char *key, const char *value);
void manifest_free(Manifest *a);

/* The value of a key, interned, or NULL. */
const char *manifest_value(const Manifest *a, const char *key);

/* What an experiment's record has, to be freed with all that is in it; none
   where the file is not there or empty. Fails with the line that is wrong. */
Manifest *manifest_read(const char *directory, int *count);

/* Appends it to the record, or starts one, unless just that line is there.
   Several commands may do so at once. */
void manifest_record(const char *directory, const Manifest *a);

#endif
