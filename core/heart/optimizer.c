/* optimizer.c - Adam and AdamW, in one pass over all weights. */
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "heart/optimizer.h"
#include "heart/threads.h"

Optimizer
optimizer_new(Model *m)
{
    return (Optimizer){m,
                       m->config.lr,
                       allocate(m->parameters, sizeof(real)),
                       allocate(m->parameters, sizeof(real)),
                       1,
                       1};
}

void
optimizer_free(Optimizer *o)
{
    free(o->first);
    free(o->second);
}

/* A share of the weights, in numbers of the type that these have. */
static void
adam_chunk(void *optimizer, int chunk, int worker)
{
    (void)worker;
    const Optimizer *o = optimizer;
    const Model *m = o->model;
    const Config *c = &m->config;
    bool apart = c->optimizer == OPTIMIZER_ADAMW;
    real inside = apart ? 0 : (real)c->weight_decay; /* the gradient; */
    real kept = apart ? (real)(1 - o->rate * c->weight_decay) : 1;
    real beta1 = (real)c->beta1, rest1 = (real)(1 - c->beta1);
    real beta2 = (real)c->beta2, rest2 = (real)(1 - c->beta2);
    double correction = sqrt(1 - o->beta2_power);
    real rate = (real)(o->rate * correction / (1 - o->beta1_power));
    real epsilon = (real)(1e-8 * correction);
    real *w = m->values, *first = o->first, *second = o->second;
    const real *gradients = m->gradients;
    long count = (long)m->parameters;
    long i = chunk_begin(count, chunk, threads_count());
    long end = chunk_begin(count, chunk + 1, threads_count());
    for (; i < end; i++) {
        real g = gradients[i] + inside * w[i];
        first[i] = beta1 * first[i] + rest1 * g;
        second[i] = beta2 * second[i] + rest2 * g * g;
        w[i] = kept * w[i] - rate * first[i] / (SQRT(second[i]) + epsilon);
    }
}

void
adam(Optimizer *o, int step)
{
    (void)step;
    o->beta1_power *= o->model->config.beta1;
    o->beta2_power *= o->model->config.beta2;
    parallel_for(threads_count(), adam_chunk, o);
}
