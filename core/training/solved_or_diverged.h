/* solved_or_diverged.h - when a run counts as solved, and when as diverged. */
#ifndef SOLVED_OR_DIVERGED_H
#define SOLVED_OR_DIVERGED_H

#include "heart/train.h"

/* Finds the first step at which the mean accuracy of the last WINDOW batches is
   at least the threshold. `at` is that step, or 0 while there is none. Begin
   with only `threshold` set, and call solved_watch after every step. */
enum { WINDOW = 10 };
typedef struct Solved {
    double threshold, last[WINDOW];
    int at;
} Solved;
void solved_watch(Solved *s, const Result *so_far);

/* Is some loss or some weight of a trained model not a finite number? */
bool has_diverged(const Model *m, const Result *r);

#endif
