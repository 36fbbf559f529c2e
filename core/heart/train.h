/* train.h - the training loop, and Adam. */
#ifndef TRAIN_H
#define TRAIN_H

#include "heart/model.h"

/* A line of the log, of every log_every'th step and of the last one; of step 0
   where there are none, with no training (NaN). Losses in nats per counted
   token, accuracies over counted tokens: of the training batches since the last
   line, and of validation. */
typedef struct LogRow {
    int step;
    double loss, accuracy, validation_loss, validation_accuracy;
} LogRow;

typedef struct Result {
    LogRow *rows;
    int count;
    int steps;       /* done: fewer than asked for where it was stopped, or the
                        loss was no finite number */
    double accuracy; /* of the latest step, */
    bool logged;     /* which has ended a row */
    double test_loss, test_accuracy;
    size_t tape_bytes; /* what a step needs beside the weights */
} Result;

/* Trains m for the steps of its config. `watch` is called after each, with `to`
   and what there is; where it returns false, training stops. It may be NULL.
   Free the rows. */
typedef bool Watch(void *to, const Result *so_far);
Result train(Model *m, const Dataset *data, Watch *watch, void *to);

/* Moves every weight against its gradient. Kingma and Ba 2014, algorithm 1, its
   bias corrections moved into the rate and into epsilon = 1e-8 (section 2). */
void adam(Model *m, double rate);

/* A step of Adam, or of the optimizer that the model has instead. */
void optimizer_step(Model *m);

/* The next step, on the batch: forward, backward, and the optimizer's. Returns
   the loss, and the accuracy in *accuracy. After the first it allocates
   nothing.
   */
double train_step(Model *m, Tape *t, const Batch *b, double *accuracy);

/* Loss and accuracy over a whole split; no accuracy (NaN) without a finite
   loss. `t` and `b` are scratch. */
void evaluate(Model *m, const Dataset *data, Split split, Tape *t, Batch *b,
              double *loss, double *accuracy);

/* How many of so many sequences go through the model at a time. */
int micro_batch_size(const Model *m, int sequences);

#endif
