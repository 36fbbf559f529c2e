/* solved_or_diverged.h - when a run counts as solved, and when as diverged. */
#ifndef SOLVED_OR_DIVERGED_H
#define SOLVED_OR_DIVERGED_H

#include "heart/train.h"

/* A run has solved its task at the first step after which the mean accuracy of
   the last WINDOW training batches is at least the threshold. */
enum { WINDOW = 10 };
typedef struct Solved {
    double threshold;
    double last[WINDOW]; /* the accuracy of step n is in last[n % WINDOW] */
    int step; /* the step that solved the task; 0 until it is solved */
} Solved;

/* Call this after every step, with the result so far. Before the first call,
   set s->threshold and clear the rest of *s. */
void solved_update(Solved *s, const Result *so_far);

/* Did the run with the result r and the trained model m diverge? It did if its
   last training or validation loss, its test loss or a weight is not a finite
   number. A run without steps has no training loss. */
bool has_diverged(const Model *m, const Result *r);

#endif
