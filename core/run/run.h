/* run.h - a run is a directory of plain files.

   config.tsv       every setting
   log.tsv          a line for every --log-every steps
   weights/NAME.npy a weight, as a matrix
   result.tsv       the results
   timing.tsv       times and memory, which differ even between identical runs
   real.tsv         the number of real parameters, if counted (real_count.h)

   A run is written as a draft (base/files.h), so that it is in its place whole
   or not at all. An experiment (experiment.h) is a directory of runs. */
#ifndef RUN_H
#define RUN_H

#include "base/files.h"
#include "base/tsv.h"
#include "training/build_model.h"
#include "watch/observe.h"

enum { RUN_FORMAT = 5 }; /* the version of these files, in config.tsv */

/* The name of the run with this config, "reverse.standard.d-k4.seed1.0a1b2c3d":
   its task and variant, the settings that differ from the task's defaults, the
   seed, and the config's digest. `uses` lists the settings that the variant
   uses (variant_uses). */
char *run_name(const Config *c, const char *uses);

/* How the training of a run ended. */
typedef struct Finished {
    Result result;
    int solved_at;  /* Solved.step (training/solved_or_diverged.h); 0: never */
    double seconds; /* how long training took */
} Finished;

/* Writes the finished run `name` into a draft, from which draft_end moves it to
   its place. `o` has the values that were observed at each line of the log.
   Returns the run's path in the draft, into which matrices_write may add the
   weights. */
char *run_write(const Draft *d, const char *name, const Model *m,
                const Finished *e, const Observer *o, const Dataset *data);

/* A run that was read from its directory. */
typedef struct Run {
    char *path, *name; /* the name is the last part of the path */
    Config config;
    Table log;
    Table result; /* result.tsv, then timing.tsv and real.tsv, if any */
} Run;

/* Reads a run; exits if a file is damaged or missing, except that timing.tsv
   and real.tsv may be missing. */
Run run_read(const char *path);

/* Opens RUN/NAME, a new table of keys and values. end_file closes it. */
FILE *begin_pairs(const char *run, const char *name);

/* Writes a line of such a table. The value has up to `digits` digits:
   TIME_DIGITS for a time, which differs from run to run, FLOAT_DIGITS for a
   float, RESULT_DIGITS for a mean of floats, ALL_DIGITS for a whole number. */
enum { TIME_DIGITS = 4, FLOAT_DIGITS = 7, RESULT_DIGITS = 10, ALL_DIGITS = 17 };
void put_pair(FILE *file, const char *key, double value, int digits);

/* Returns whether the directory has a finished run of that name. */
bool run_exists(const char *directory, const char *name);

/* The result of this name: run_text returns its text, or NULL if there is none;
   run_number returns its number, or NaN. */
const char *run_text(const Run *r, const char *key);
double run_number(const Run *r, const char *key);

/* The value of Config.from in a run that begins with the weights of r: r's name
   and a hash of the files of its weights, because r may have been trained again
   with another build of its plugin. */
const char *run_identity(const Run *r);

/* The model of a run with its trained weights. Sets *data to the dataset that
   it was trained on. Free the model with model_free. */
Model *run_model(const Run *r, Dataset *data);

/* Reads the run's trained weights into m, a model of the same shapes. Exits if
   the weights are missing or do not fit, or if the run's text has changed. */
void run_weights(const Run *r, Model *m);

/* Makes the directory RUN/FOLDER, with a file for each weight of m. `entries`
   has the entries of all weights, one after the other: m->values or
   m->gradients. */
void matrices_write(const char *run, const char *folder, const Model *m,
                    const real *entries);

#endif
