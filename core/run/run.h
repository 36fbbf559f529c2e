/* run.h - a run is a directory of plain files.

   config.tsv       every setting
   log.tsv          a line for every --log-every steps
   weights/NAME.npy one matrix
   result.tsv       the results
   timing.tsv       times and memory, which differ between two equal runs
   real.tsv         added when the real parameters are counted (real_count.h)

   A run is written as a draft (base/files.h), so that it is in its place whole
   or not at all. An experiment (experiment.h) is a directory of runs. */
#ifndef RUN_H
#define RUN_H

#include "base/files.h"
#include "base/tsv.h"
#include "heart/train.h"
#include "training/build_model.h"
#include "watch/observe.h"

enum { RUN_FORMAT = 5 }; /* the version of these files, in config.tsv */

/* The name of the run with this config: "reverse.standard.d-k4.seed1.0a1b2c3d",
   its task, variant, the settings that differ from the task's defaults, seed
   and the config's digest. `uses` lists the settings that the variant uses
   (variant_uses). */
char *run_name(const Config *c, const char *uses);

/* How the training of a run ended. */
typedef struct Finished {
    Result result;
    int solved_at;  /* Solved.step (training/solved_or_diverged.h); 0: never */
    double seconds; /* of training */
} Finished;

/* Writes the finished run `name` into a draft, which draft_end moves to its
   place, without its weights (matrices_write). `o` has the values that were
   observed at each line of the log. Returns the run's path in the draft. */
char *run_write(const Draft *d, const char *name, const Model *m,
                const Finished *e, const Observer *o, const Dataset *data);

typedef struct Run {
    char *path, *name; /* name: the last part of path */
    Config config;
    Table log;
    Table result; /* result.tsv, followed by timing.tsv and real.tsv */
} Run;

/* Reads a run; exits if a file is missing or damaged. */
Run run_read(const char *path);

/* Opens RUN/NAME, a table of keys and values, which end_file closes. */
FILE *begin_pairs(const char *run, const char *name);

/* Writes a line of such a table, the value with up to `digits` digits:
   TIME_DIGITS of a time, which differs from run to run, FLOAT_DIGITS of a
   float, RESULT_DIGITS of a mean of floats, ALL_DIGITS of a whole number. */
enum { TIME_DIGITS = 4, FLOAT_DIGITS = 7, RESULT_DIGITS = 10, ALL_DIGITS = 17 };
void put_pair(FILE *file, const char *key, double value, int digits);

/* Returns whether the directory has a finished run of that name. */
bool run_exists(const char *directory, const char *name);

/* Two functions return the result with this name: as text (NULL if there is
   none), or as a number (NaN if there is none). */
const char *run_text(const Run *r, const char *key);
double run_number(const Run *r, const char *key);

/* The model of a run with its trained weights. Sets *data to the dataset that
   it was trained on. Free the model with model_free. */
Model *run_model(const Run *r, Dataset *data);

/* Reads the run's trained weights into m, a model of the same shapes; exits if
   they are missing or do not fit. */
void run_weights(const Run *r, Model *m);

/* Writes a file for each weight of m into RUN/FOLDER, which it makes. `entries`
   are those of all weights, one after the other: m->values or m->gradients. */
void matrices_write(const char *run, const char *folder, const Model *m,
                    const real *entries);

#endif
