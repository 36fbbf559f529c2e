/* schedule.h - how the rate of training runs, SGD. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "heart/train.h"

/* The learning rate of step 1, 2, ..., steps: rises linearly over `warmup`
   steps, then stays, or falls to 0 along half a cosine. */
double learning_rate(const Config *c, int step);

/* A step of the optimizer that the config asks for, at that rate. */
void scheduled(Model *m);

/* The first step at which the mean accuracy of the last batches has reached
   the threshold: 0 until then. Called after each step; all 0 at first. */
enum { WINDOW = 10 };
typedef struct Solved {
    double threshold, last[WINDOW];
    int at;
} Solved;
void solved_watch(Solved *s, const Result *so_far);

/* Is a loss or a weight of a trained model no finite number? */
bool has_diverged(const Model *m, const Result *r);

#endif
