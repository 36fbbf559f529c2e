/* observe.h - the columns that --log adds to the log: what happens inside
   attention while it learns. (study/ reads these columns from finished runs.)

   A word of --log adds several columns (observe.c has the list). They are
   computed from the weights: from the canonical forms, and from a forward and
   backward pass (capture.h) on one batch of validation data, which is the same
   at every line of the log.

   attention  mean entropy (nats) of the rows of attention weights, mean largest
              weight of a row, and the share of rows with a weight over 0.99;
              and the standard deviation of the scores before the softmax
   scores     norm of the gradient of the loss by a row of scores, median and
              mean over the rows; it is multiplied by the number of answers in
              the batch, so that it does not shrink in a larger batch
   gradients  norm of the gradient of each weight of attention
   rank       effective rank of M_i and of N_i, mean over heads
   distance   |M - M at the start| / |M at the start|, and the same for N
   conserved  how far W_Q' W_Q - W_K' W_K, which gradient flow conserves, has
              moved from its start (gauge.h); and the same for W_V and W_O'
   gauge      the share of the latest step that changes nothing (gauge.h), for
              W_Q and W_K and for W_V and W_O; and the average share of a step
              in a random direction. A step is from one line to the next
   turn       how far W_Q and W_K, and W_V and W_O, have turned against the
              horizontal lift of the path of M or N, in radians; and how far
              they have stretched (turn.h). The lift follows every step

   conserved, gauge and turn are NaN for a variant whose form differs from
   standard's. */
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
    int count;                /* the number of columns */
    Model *model;
    Batch batch;            /* the batch of validation data */
    Canonical *start_forms; /* the form of each place at the start of training;
                               set only for "distance" */
    real *start_weights;    /* all weights at the start of training */
    real *previous_weights; /* all weights at the previous line of the log */
    struct Lifts *lifts;    /* the lifts of M and N at each place; NULL without
                               "turn" */
} Observer;

/* Returns the words of --log, such as "attention+rank", with commas between
   them: "attention,rank". Exits (2) if a word is not known. */
char *observed_words(const char *log);

/* Makes an observer for the words of m's --log. Without words, `count` is 0,
   and nothing is measured. The observer is never freed, because a process
   trains only one model. */
Observer observer_new(Model *m, const Dataset *data);

/* Call this after each step of training, before observe: the lifts of "turn"
   follow every step. */
void observe_step(Observer *o);

/* Measures the model's present weights, and adds the line to o->values. */
void observe(Observer *o);

#endif
