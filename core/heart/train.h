/* train.h - the training loop. */
#ifndef TRAIN_H
#define TRAIN_H

#include "heart/model.h"

/* A row of the log, which is written every log_every steps and after the last
   one, unless `watch` stopped training there. Loss and accuracy are means over
   the training batches since the row before; the loss is in nats per counted
   token. A run of 0 steps has one row, of step 0, in which they are NaN. */
typedef struct LogRow {
    int step;
    double loss, accuracy, validation_loss, validation_accuracy;
} LogRow;

typedef struct Result {
    LogRow *rows;
    int count;       /* number of complete rows */
    int steps;       /* steps done; fewer than the config's if `watch` stopped
                        training, or if the loss was not finite */
    double accuracy; /* of the latest step */
    bool logged;     /* did the latest step complete a row? */
    double test_loss, test_accuracy;
    size_t tape_bytes; /* the most that the tape held in a step of training,
                          or in a validation */
} Result;

/* Trains m for the steps of its config. Unless it is NULL, `watch` is called
   after each step (for 0 steps, once) with `to` and the result so far; if it
   returns false, training stops. The caller frees the rows. */
typedef bool Watch(void *to, const Result *so_far);
Result train(Model *m, const Dataset *data, Watch *watch, void *to);

/* The next step of training: forward, backward, and the optimizer's step.
   Returns the loss of the batch, and sets *accuracy. */
double train_step(Model *m, Tape *t, const Batch *b, double *accuracy);

/* Sets *loss and *accuracy to their means over the counted tokens of a whole
   split. The accuracy is NaN if the loss is not finite. `t` and `b` are
   overwritten: b gets one batch of the split after another. */
void evaluate(Model *m, const Dataset *data, Split split, Tape *t, Batch *b,
              double *loss, double *accuracy);

/* The most sequences of a batch that go through the model at a time. */
int micro_batch_size(const Model *m);

#endif
