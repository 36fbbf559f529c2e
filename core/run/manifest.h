/* manifest.h - what was asked of an experiment, as its experiment.tsv records
   it: lines of a key and its value, a command after another.

       key       value
       format    3
       command   compare
       variant   standard,full-rank
       task      recall
       seed      1,2,3
       d-k       2,4,8
       baseline  standard

   The keys are `command`, the settings that were given, with their values
   between commas, and manifest_keys. Tables, figures and reports read there
   what was compared, and against what. */
#ifndef MANIFEST_H
#define MANIFEST_H

#include <stdbool.h>

#include "base/words.h"

/* What the others are compared with unless something else is asked. */
#define BASELINE "standard"

/* What one command asked; its first key is "command". */
typedef struct Manifest {
    Values keys, values;
} Manifest;

/* The keys that are no settings: "command"; "precision", where it is double;
   "by", what verdicts are between where these are not variants; "baseline",
   what differences are taken against, "judge", what verdicts are about, and
   "margin", which differences are none; "from", the run whose weights a train
   began with; "run" and "to", what an equiv converted into which variant. */
extern const char manifest_keys[];

/* Begins one of this program, and adds a line to it. */
Manifest manifest_begin(const char *command);
void manifest_add(Manifest *a, const char *key, const char *value);
void manifest_free(Manifest *a);

/* The value of a key, or NULL. */
const char *manifest_value(const Manifest *a, const char *key);

/* Do both say the same? */
bool manifest_equal(const Manifest *a, const Manifest *b);

/* The command that asks it again, into that directory; to be freed. */
char *manifest_command(const Manifest *a, const char *out);

/* What an experiment's record has, to be freed with all that is in it; none
   where the file is not there or empty. Fails with the line that is wrong. */
Manifest *manifest_read(const char *directory, int *count);

/* Adds it to the record, or starts one. What asks for the same runs is
   replaced; a train whose run a comparison asks for too is not recorded.
   Several commands may do so at once. */
void manifest_record(const char *directory, const Manifest *a);

#endif
