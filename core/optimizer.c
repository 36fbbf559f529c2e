/* optimizer.c - SGD, Adam and AdamW, each one pass over all weights. */
#include <stdlib.h>

#include "elementary.h"
#include "fail.h"
#include "optimizer.h"

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
static void
adam(Optimizer *o, Model *m, double lr)
{
    const Config *c = &m->config;
    o->beta1_power *= c->beta1;
    o->beta2_power *= c->beta2;
    double correction = sqrt(1 - o->beta2_power);
    real rate = (real)(lr * correction / (1 - o->beta1_power));
    real epsilon = (real)(1e-8 * correction);
    real beta1 = (real)c->beta1, rest1 = (real)(1 - c->beta1);
    real beta2 = (real)c->beta2, rest2 = (real)(1 - c->beta2);
    bool apart = c->optimizer == OPTIMIZER_ADAMW;
    real inside = apart ? 0 : (real)c->weight_decay;
    real kept = apart ? (real)(1 - lr * c->weight_decay) : 1;
    real *w = m->values, *first = o->first, *second = o->second;
    for (size_t i = 0; i < m->parameters; i++) {
        real g = m->gradients[i] + inside * w[i];
        first[i] = beta1 * first[i] + rest1 * g;
        second[i] = beta2 * second[i] + rest2 * g * g;
        w[i] = kept * w[i] - rate * first[i] / (SQRT(second[i]) + epsilon);
    }
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
