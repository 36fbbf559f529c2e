/* optimizer.c - Adam and AdamW, in one pass over all weights. */
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "heart/optimizer.h"
#include "heart/threads.h"

Optimizer
optimizer_new(const Model *m)
{
    return (Optimizer){m->config.lr,
                       allocate_aligned(m->parameters, sizeof(real)),
                       allocate_aligned(m->parameters, sizeof(real)), 1, 1};
}

void
optimizer_free(Optimizer *o)
{
    free(o->first);
    free(o->second);
}

/* A step of Adam, as numbers of the type that the weights have. */
typedef struct Adam {
    real rate, epsilon, beta1, rest1, beta2, rest2;
    real inside, kept; /* decay in the gradient; what it leaves of a weight */
    real *w, *first, *second;
    const real *gradients;
    size_t count;
} Adam;

static void
adam_chunk(void *more, int chunk, int worker)
{
    (void)worker;
    const Adam a = *(const Adam *)more;
    long count = (long)a.count, i = chunk_begin(count, chunk, threads_count());
    for (; i < chunk_begin(count, chunk + 1, threads_count()); i++) {
        real g = a.gradients[i] + a.inside * a.w[i];
        a.first[i] = a.beta1 * a.first[i] + a.rest1 * g;
        a.second[i] = a.beta2 * a.second[i] + a.rest2 * g * g;
        a.w[i] = a.kept * a.w[i] -
                 a.rate * a.first[i] / (SQRT(a.second[i]) + a.epsilon);
    }
}

void
adam(Model *m, Optimizer *o, int step)
{
    (void)step;
    const Config *c = &m->config;
    bool apart = c->optimizer == OPTIMIZER_ADAMW;
    o->beta1_power *= c->beta1;
    o->beta2_power *= c->beta2;
    double correction = sqrt(1 - o->beta2_power);
    Adam a = {.rate = (real)(o->rate * correction / (1 - o->beta1_power)),
              .epsilon = (real)(1e-8 * correction),
              .beta1 = (real)c->beta1,
              .rest1 = (real)(1 - c->beta1),
              .beta2 = (real)c->beta2,
              .rest2 = (real)(1 - c->beta2),
              .inside = apart ? 0 : (real)c->weight_decay,
              .kept = apart ? (real)(1 - o->rate * c->weight_decay) : 1,
              .w = m->values,
              .first = o->first,
              .second = o->second,
              .gradients = m->gradients,
              .count = m->parameters};
    parallel_for(threads_count(), adam_chunk, &a);
}
