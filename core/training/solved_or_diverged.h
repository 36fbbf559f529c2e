/* solved_or_diverged.h - when a run counts as solved, and when as diverged. */
#ifndef SOLVED_OR_DIVERGED_H
#define SOLVED_OR_DIVERGED_H

#include "heart/train.h"

/* Finds the step at which a run solves its task: the first one at which the
   mean accuracy of the last WINDOW training batches is at least the threshold.
 */
enum { WINDOW = 10 };
typedef struct Solved {
    double threshold;
    double last[WINDOW]; /* accuracies; that of step n is in last[n % WINDOW] */
    int step;            /* 0 until the task is solved */
} Solved;

/* Call it after every step, at first with only s->threshold set. */
void solved_update(Solved *s, const Result *so_far);

/* Did a run diverge: is its last loss, or some weight of its trained model, not
   a finite number? */
bool has_diverged(const Model *m, const Result *r);

#endif
