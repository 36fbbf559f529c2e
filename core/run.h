/* run.h - a run is a directory of plain files.

   config.tsv (every setting), log.tsv (a line per --log-every steps),
   weights/NAME.npy (one matrix a file), timing.tsv (the only file in which two
   equal runs differ) and result.tsv. It is written beside its place and then
   renamed, so that it is there whole or not at all. An experiment is a
   directory of runs with a file experiment.tsv that says so. */
#ifndef RUN_H
#define RUN_H

#include "config.h"
#include "files.h"
#include "model.h"
#include "train.h"
#include "tsv.h"

enum { RUN_FORMAT = 2 };

/* "reverse.standard.d-k4.seed1.0a1b2c3d": task, variant, what differs from
   `ordinary` (the task's own settings, settled for the variant), of one that
   began as another run "from" and that one's last eight digits, seed and the
   config's digest. To be freed. */
char *run_name(const Config *c, const Config *ordinary);

/* Creates the experiment's directory, or checks that it is one. */
void experiment_open(const char *directory);

/* Removes what writers that are gone left half-written there. */
void experiment_sweep(const char *directory);

/* Writes a finished run into its experiment, with or without its weights. One
   that is there already stays, unless it is to be replaced. */
void run_write(const char *directory, const char *name, const Model *m,
               const Result *r, const Levels *l, bool weights, bool replace);

/* Where a process writes a run before it is renamed: a hidden name that says
   who writes it. */
Path run_partial(const char *directory, const char *name, long process);

/* Makes and locks that directory; closing what it returns unlocks it. */
int run_begin(const char *partial);

/* Removes what a process that is gone left of a run it was writing. */
void run_abandon(const char *directory, const char *name, long process);

typedef struct Run {
    char *path, *name; /* name: the last part of path */
    Config config;
    Table result, log;
} Run;

/* Removes a run and all that is in it. */
void run_remove(const char *directory, const char *name);

/* Reads a run; fails with what is wrong with it. */
Run run_read(const char *path);
void run_free(Run *r);

/* Is there a finished run of that name? */
bool run_exists(const char *directory, const char *name);

/* Takes a run into another experiment: matrices and tables, and no other file.
   One of its name that is there already stays; whether config, log and result
   are the same bytes is told. */
typedef enum { COPIED, THERE, DIFFERS } Copied;
Copied run_copy(const Run *r, const char *directory);

/* Has result.tsv a line of that name? */
bool run_has(const Run *r, const char *key);

/* A line of result.tsv, as text and as a number; fails where it is missing. */
const char *run_text(const Run *r, const char *key);
double run_number(const Run *r, const char *key);

/* The config of a run with plugins that may be opened: a path that only the run
   speaks of is taken for the name in it, and that is looked for as any other.
   Fails where there is none. */
Config run_believed(const Run *r);

/* The model of a run with its trained weights, and the source that it was
   trained on; model_free and source_close them. */
Model *run_model(const Run *r, Source *s);

/* Gives m, of the shapes of the run's model, the run's trained weights; fails
   with what is wrong with them. */
void run_weights(const Run *r, Model *m);

/* The file of a weight within a run: "block0.attention.W^Q" ->
   "weights/block0.attention.W_Q.npy". To be freed. */
char *weight_file(const char *name);

/* What m makes of the first batch of its test data, as arrays that other
   frameworks read: DIRECTORY gets tokens, targets (-1: none asked), source (of
   tasks with two sequences), mask (what self-attention may see), logits, loss,
   and gradients/ with a file for each weight. It must not be there yet; it is
   there whole or not at all. */
void batch_write(const char *directory, Model *m, const Source *s);

/* The run of that name in an experiment; exits where its settings are not those
   that the name was made of. */
Run run_named(const char *directory, const char *name);

/* All runs of an experiment in order of name. A path that is a run itself is
   an experiment of one. */
Run *experiment_runs(const char *directory, int *count);

#endif
