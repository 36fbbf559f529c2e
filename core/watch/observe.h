/* observe.h - the columns that --log adds to the log: what happens inside
   attention while it learns. (study/ reads these columns from finished runs.)

   All are computed from one batch of validation data, the same at every line:
   from its forward and backward pass (capture.h), the gradients of the weights,
   and the canonical forms. observe.c has a table of them, one row each.
   attention  entropy (nats) and largest of a row's weights, standard deviation
              of the scores before the softmax, and the share of rows with a
              weight over .99
   scores     norm of the gradient of the loss by a row of scores, median and
              mean over the rows; times the number of answers that the loss is a
              mean of, so that it does not shrink with the batch
   gradients  norm of the gradient of each weight of attention
   rank       effective rank of M_i and of N_i, mean over heads
   distance   |M - M at the start| / |M at the start|, and the same of N
   conserved  how far W_Q' W_Q - W_K' W_K, and the same of W_V and W_O', have
              moved from the start: gradient flow conserves them (gauge.h)
   gauge      the share of the step since the line before that changes nothing,
              of queries and keys, and of values and output; and the share that
              a step of random direction would have on average
   turn       how far queries and keys, and values and output, have turned
              against the horizontal lift of the path of M and of N, in radians;
              and how far they have stretched (turn.h). It follows every step

   conserved, gauge and turn are NaN for a variant whose form differs from
   standard's.
 */
#ifndef OBSERVE_H
#define OBSERVE_H

#include "algebra/canonical.h"
#include "base/words.h"

typedef struct Observer {
    char *log;      /* the words of --log: "attention,rank" */
    Values names;   /* the names of the columns */
    double *values; /* `lines` lines of `count` values */
    int lines;
    struct Observed *columns; /* how each column is computed */
    int count;
    Model *model;
    Batch batch;
    Canonical *start;    /* each place's form at the start, for the distance */
    real *first;         /* all weights at the start */
    real *before;        /* all weights at the line before */
    struct Lifts *lifts; /* of M and N of each place, for the turn; else NULL */
} Observer;

/* The words of --log, "attention+rank", separated by commas instead. Exits (2)
   if one of them does not exist. */
char *observed_words(const char *log);

/* An observer for the words of m's --log. Without words, count is 0, and
   nothing is measured. Its memory is never freed: a process trains one model.
 */
Observer observer_new(Model *m, const Dataset *data);

/* Follows a step of training. Call it after each, before any observe. */
void observe_step(Observer *o);

/* Adds a line to o->values. */
void observe(Observer *o);

#endif
