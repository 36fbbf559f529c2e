/* queue.c - in which order runs are trained. */
#include <stdlib.h>

#include "base/fail.h"
#include "driver/sweep/queue.h"

/* Forward and back, on one sequence. */
static double
sequence_effort(const Config *c)
{
    double d = c->d_model, h = c->heads ? c->heads : 1, n = c->length;
    double k = c->d_k ? c->d_k : d, v = c->d_v ? c->d_v : d;
    double token = 2 * d * h * (k + v) + n * h * (k + v) + 2 * d * d * c->mlp;
    return n * (c->layers + c->encoder) * token;
}

double
step_effort(const Config *c)
{
    return c->batch * sequence_effort(c);
}

/* Validation and test go forward only, a third of the way. */
double
effort(const Config *c)
{
    double looked_at = (double)c->steps / c->log_every * c->validate + c->test;
    return ((double)c->steps * c->batch + looked_at / 3) * sequence_effort(c);
}

static int
longest_first(const void *a, const void *b)
{
    const Job *x = *(const Job *const *)a, *y = *(const Job *const *)b;
    double long_x = effort(&x->config), long_y = effort(&y->config);
    return long_x != long_y ? (long_x < long_y) - (long_x > long_y)
                            : (x > y) - (x < y);
}

const Job **
queue_of(const Grid *g, const bool *wanted, int *total, double *all)
{
    const Job **queue = allocate((size_t)g->count, sizeof *queue);
    *total = 0;
    *all = 0;
    for (int i = 0; i < g->count; i++)
        if (wanted[i]) {
            queue[(*total)++] = &g->jobs[i];
            *all += effort(&g->jobs[i].config);
        }
    qsort(queue, (size_t)*total, sizeof *queue, longest_first);
    return queue;
}
