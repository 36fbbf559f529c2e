/* train.h - the training loop. */
#ifndef TRAIN_H
#define TRAIN_H

#include "model/model.h"
#include "task/task.h"
#include "train/optimizer.h"

/* A line of log.tsv, of every log_every'th step and of the last one; of step 0
   where there are none, with no training (NaN). Losses
   in nats per counted token, accuracies over counted tokens: of the training
   batches since the last line, and of validation. */
typedef struct LogRow {
    int step;
    double loss, accuracy, validation_loss, validation_accuracy;
} LogRow;

typedef struct Result {
    LogRow *rows;
    int count;
    int steps;     /* done: fewer than asked for where it diverged or ran out of
                      patience */
    bool diverged; /* a loss or a weight is no finite number */
    bool converted; /* not trained: another run, in matrices of this variant */
    int solved_at;  /* first step at which the mean accuracy of the last 10
                       batches reached the threshold; 0: never */
    double test_loss, test_accuracy;
    double seconds;    /* of training, with what is validated and logged */
    size_t tape_bytes; /* what a step needs beside the weights */
} Result;

/* Step `step` (from 1), on the batch: forward, backward, and the optimizer's.
   Returns the loss, and the accuracy in *accuracy. Allocates nothing and calls
   nobody. */
double train_step(Model *m, Optimizer *o, Tape *t, const Batch *b, int step,
                  double *accuracy);

/* Trains m for the steps of its config. `logged` is called with `to` and each
   row, as soon as it is there; it may be NULL. result_free it. */
Result train(Model *m, const Dataset *data, void (*logged)(void *to, LogRow),
             void *to);
void result_free(Result *r);

/* Loss and accuracy over a whole split; no accuracy (NaN) without a finite
   loss. `t` and `b` are scratch. */
void evaluate(Model *m, const Dataset *data, Split split, Tape *t, Batch *b,
              double *loss, double *accuracy);

/* Bytes that training takes: weights, with gradients and the optimizer's two
   moments; a batch's tokens; the matrices of a step; the task's file, and the
   log. */
typedef struct Needs {
    double weights, batch, step, files;
} Needs;
Needs training_needs(const Dataset *data, const Variant *v);

/* How many of a batch's sequences go through the model at a time. */
int micro_batch_size(const Model *m, int sequences);

#endif
