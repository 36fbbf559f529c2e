/* run.h - a run is a directory of plain files.

   config.tsv (every setting), log.tsv (a line per --log-every steps),
   weights/NAME.npy (one matrix a file), timing.tsv (the only file in which two
   equal runs differ) and result.tsv; real.tsv is added once its real parameters
   are counted (real_count.h). It is written as a draft: there whole or not at
   all. An experiment (experiment.h) is a directory of runs. */
#ifndef RUN_H
#define RUN_H

#include "base/files.h"
#include "base/tsv.h"
#include "config/settings.h"
#include "heart/train.h"
#include "training/build_model.h"
#include "watch/observe.h"

enum { RUN_FORMAT = 4 };

/* "reverse.standard.d-k4.seed1.0a1b2c3d": task, variant, what differs from the
   task's own settings, resolved for what the variant uses (variant_uses), seed
   and the config's digest. */
char *run_name(const Config *c, const char *uses);

/* What a run has come to. */
typedef struct Finished {
    Result result;
    int solved_at;  /* as training/optimizers.h has it; 0: never */
    double seconds; /* of training */
} Finished;

/* Writes a finished run into a draft, with what was observed at each line of
   its log, with or without its weights; draft_end gives it its place. */
void run_write(const Draft *d, const char *name, const Model *m,
               const Finished *e, const Observer *o, const Dataset *data,
               bool weights);

typedef struct Run {
    char *path, *name; /* name: the last part of path */
    Config config;
    Table log;
    Table result; /* result.tsv, and behind it timing.tsv and real.tsv */
} Run;

/* Reads a run; fails with what is wrong with it. */
Run run_read(const char *path);

/* Opens RUN/NAME, a table of keys and values, for end_file to close, and writes
   a line of it: a number of so many digits. */
FILE *begin_pairs(const char *run, const char *name);
void put_pair(FILE *file, const char *key, double value, int digits);

/* Is there a finished run of that name? */
bool run_exists(const char *directory, const char *name);

/* A result, as text and as a number: NULL and NaN if it has none of that name.
 */
const char *run_text(const Run *r, const char *key);
double run_number(const Run *r, const char *key);

/* The model of a run with its trained weights, and the dataset that it was
   trained on; model_free and dataset_close them. */
Model *run_model(const Run *r, Dataset *data);

/* Gives m, of the shapes of the run's model, the run's trained weights; fails
   with what is wrong with them. */
void run_weights(const Run *r, Model *m);

/* Writes a file for each weight into TO/weights, or TO/gradients for their
   gradients. */
void matrices_write(const char *to, const char *folder, const Model *m);

#endif
