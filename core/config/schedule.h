/* schedule.h - a step of training: its learning rate, and the optimizer that
   the config asks for; when a run counts as solved, and when as diverged. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "heart/train.h"

/* The learning rate of a step; the first is step 1. It rises linearly over the
   first `warmup` steps. Then it stays, or falls to 0 at the last step along
   half a cosine. */
double learning_rate(const Config *c, int step);

/* Model.update: moves the weights by one step, at the learning rate of step
   m->step. */
void scheduled(Model *m);

/* Finds the first step at which the mean accuracy of the last WINDOW batches is
   at least the threshold. `at` is that step, and 0 before. Set only `threshold`
   at first, and call solved_watch after every step. */
enum { WINDOW = 10 };
typedef struct Solved {
    double threshold, last[WINDOW];
    int at;
} Solved;
void solved_watch(Solved *s, const Result *so_far);

/* Is some loss or some weight of a trained model not a finite number? */
bool has_diverged(const Model *m, const Result *r);

#endif
