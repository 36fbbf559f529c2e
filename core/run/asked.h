/* asked.h - what was asked of an experiment, as its experiment.tsv records it:
   lines of a key and its value, a command after another.

       key       value
       format    3
       command   compare
       variant   standard,full-rank
       task      recall
       seed      1,2,3
       d-k       2,4,8
       baseline  standard

   The keys are `command`, the settings that were given, with their values
   between commas, and asked_keys. Tables, figures and reports read there what
   was compared, and against what. */
#ifndef ASKED_H
#define ASKED_H

#include <stdbool.h>

#include "base/words.h"

/* What the others are compared with unless something else is asked. */
#define BASELINE "standard"

/* What one command asked; its first key is "command". */
typedef struct Asked {
    Values keys, values;
} Asked;

/* The keys that are no settings: "command"; "precision", where it is double;
   "by", what verdicts are between where these are not variants; "baseline",
   what differences are taken against, "judge", what verdicts are about, and
   "margin", which differences are none; "from", the run whose weights a train
   began with; "run" and "to", what an equiv converted into which variant. */
extern const char asked_keys[];

/* Begins one of this program, and adds a line to it. */
Asked asked_begin(const char *command);
void asked_add(Asked *a, const char *key, const char *value);
void asked_free(Asked *a);

/* The value of a key, or NULL. */
const char *asked_value(const Asked *a, const char *key);

/* Do both say the same? */
bool asked_equal(const Asked *a, const Asked *b);

/* The command that asks it again, into that directory; to be freed. */
char *asked_command(const Asked *a, const char *out);

/* What an experiment's record has, to be freed with all that is in it; none
   where the file is not there or empty. Fails with the line that is wrong. */
Asked *asked_read(const char *directory, int *count);

/* Adds it to the record, or starts one. What asks for the same runs is
   replaced; a train whose run a comparison asks for too is not recorded.
   Several commands may do so at once. */
void asked_record(const char *directory, const Asked *a);

#endif
