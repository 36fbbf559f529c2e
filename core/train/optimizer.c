/* optimizer.c - SGD, Adam and AdamW, each one pass over all weights. */
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "heart/threads.h"
#include "train/optimizer.h"

Optimizer
optimizer_new(const Model *m)
{
    return (Optimizer){allocate_aligned(m->parameters, sizeof(real)),
                       allocate_aligned(m->parameters, sizeof(real)), 1, 1};
}

void
optimizer_free(Optimizer *o)
{
    free(o->first);
    free(o->second);
}

double
learning_rate(const Config *c, int step)
{
    if (step <= c->warmup)
        return c->lr * step / c->warmup;
    if (c->schedule == SCHEDULE_CONSTANT)
        return c->lr;
    double done = (double)(step - c->warmup) / (c->steps - c->warmup);
    return c->lr * (1 + cosine(done * 3.14159265358979323846)) / 2;
}

/* v = momentum v + g,  w -= rate v,  where g includes decay w */
static void
sgd(Optimizer *o, Model *m, double lr)
{
    const Config *c = &m->config;
    real momentum = (real)c->momentum, rate = (real)lr;
    real decay = (real)c->weight_decay;
    real *w = m->values, *v = o->first;
    const real *g = m->gradients;
    for (size_t i = 0; i < m->parameters; i++) {
        v[i] = momentum * v[i] + (g[i] + decay * w[i]);
        w[i] -= rate * v[i];
    }
}

/* Kingma and Ba 2014, algorithm 1, its bias corrections moved into the rate
   and into epsilon = 1e-8 (section 2); decay inside the gradient for adam,
   beside it for adamw (Loshchilov and Hutter 2017, algorithm 2). */
typedef struct Adam {
    real rate, epsilon, beta1, rest1, beta2, rest2;
    real inside, kept; /* decay in the gradient; what it leaves of a weight */
    real *w, *first, *second;
    const real *gradients;
    size_t count;
    int chunks;
} Adam;

static void
adam_chunk(void *more, int chunk, int worker)
{
    (void)worker;
    const Adam a = *(const Adam *)more;
    size_t end = (size_t)chunk_begin((long)a.count, chunk + 1, a.chunks);
    size_t i = (size_t)chunk_begin((long)a.count, chunk, a.chunks);
    for (; i < end; i++) {
        real g = a.gradients[i] + a.inside * a.w[i];
        a.first[i] = a.beta1 * a.first[i] + a.rest1 * g;
        a.second[i] = a.beta2 * a.second[i] + a.rest2 * g * g;
        a.w[i] = a.kept * a.w[i] -
                 a.rate * a.first[i] / (SQRT(a.second[i]) + a.epsilon);
    }
}

static void
adam(Optimizer *o, Model *m, double lr)
{
    const Config *c = &m->config;
    bool apart = c->optimizer == OPTIMIZER_ADAMW;
    o->beta1_power *= c->beta1;
    o->beta2_power *= c->beta2;
    double correction = sqrt(1 - o->beta2_power);
    Adam a = {.rate = (real)(lr * correction / (1 - o->beta1_power)),
              .epsilon = (real)(1e-8 * correction),
              .beta1 = (real)c->beta1,
              .rest1 = (real)(1 - c->beta1),
              .beta2 = (real)c->beta2,
              .rest2 = (real)(1 - c->beta2),
              .inside = apart ? 0 : (real)c->weight_decay,
              .kept = apart ? (real)(1 - lr * c->weight_decay) : 1,
              .w = m->values,
              .first = o->first,
              .second = o->second,
              .gradients = m->gradients,
              .count = m->parameters,
              .chunks = threads_count()};
    parallel_for(a.chunks, adam_chunk, &a);
}

void
optimizer_step(Optimizer *o, Model *m, int step)
{
    double lr = learning_rate(&m->config, step);
    if (m->config.optimizer == OPTIMIZER_SGD)
        sgd(o, m, lr);
    else
        adam(o, m, lr);
}
