/* solved_or_diverged.h - when a run counts as solved, and when as diverged. */
#ifndef SOLVED_OR_DIVERGED_H
#define SOLVED_OR_DIVERGED_H

#include "heart/train.h"

/* The step at which a run solves its task is the first one at which the mean
   accuracy of the last WINDOW training batches is at least the threshold. */
enum { WINDOW = 10 };
typedef struct Solved {
    double threshold;
    double last[WINDOW]; /* accuracies; that of step n is in last[n % WINDOW] */
    int step;            /* 0 until the task is solved */
} Solved;

/* Call this after every step; *so_far is the result up to it. Before the first
   call, set s->threshold and clear the rest of *s. */
void solved_update(Solved *s, const Result *so_far);

/* Did the run with result r diverge: is one of its last losses, or a weight of
   its trained model m, not a finite number? */
bool has_diverged(const Model *m, const Result *r);

#endif
