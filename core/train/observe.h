/* observe.h - what --log asks for besides loss and accuracy: what happens
   inside attention while it learns.

   All is measured on one batch of validation data, the same at every line.
   attention  entropy (nats) and largest of a row's weights, std of the scores
              before the softmax, and the share of rows with a weight over .99
   scores     norm of the gradient of the loss by a row of scores, of the median
              row and the mean of all; times the answers that the loss is a mean
              of, so that it does not shrink with the batch
   gradients  norm of the gradient of each weight of attention
   rank       effective rank of M_i and of N_i, mean over heads
   modes      of task linear: how much of each mode is there, 1 for all
   distance   |M - M at the start| / |M at the start|, and the same of N */
#ifndef OBSERVE_H
#define OBSERVE_H

#include "task/task.h"
#include "model/model.h"

enum { COLUMN_SIZE = NAME_SIZE + 48 };

typedef struct Observer {
    int kinds; /* bits: what is asked for */
    char (*names)[COLUMN_SIZE];
    double *values; /* as measured last */
    int count, room;
    Model *model;
    Batch all, batch; /* room, and the sequences that are there */
    Tape *tape;
    struct Watch *watch;
    Canonical *start; /* of each place, for the distance */
} Observer;

/* For the words of m's --log, "attention+rank"; exits (2) on one there is not.
   Nothing is measured where there are none: count is 0. */
Observer observer_new(Model *m, const Dataset *data);
void observer_free(Observer *o);

/* Is it the name of a column that an observer adds? */
bool is_observed(const char *column);

/* Fills o->values. */
void observe(Observer *o);

#endif
