/* adam.c - the optimizer Adam, in one pass over all weights. */
#include "heart/adam.h"
#include "heart/fail.h"
#include "heart/numbers.h"

/* `first` is the running mean of the gradient, and `second` the running mean of
   its square. Both begin at 0, so after t steps they are too small by the
   factors 1 - beta1^t and 1 - beta2^t. The paper divides them by these, to m
   and v, and moves w by -lr m / (sqrt(v) + 1e-8). Multiplied above and below by
   `correction` = sqrt(1 - beta2^t), this is -rate first / (sqrt(second) +
   epsilon), without a correction of each entry. */
void
adam_range(void *model, long from, long to)
{
    const Model *m = model;
    const Config *c = &m->config;
    real beta1 = (real)c->beta1, rest1 = (real)(1 - c->beta1);
    real beta2 = (real)c->beta2, rest2 = (real)(1 - c->beta2);
    double correction = sqrt(1 - m->beta2_power);
    real rate = (real)(m->rate * correction / (1 - m->beta1_power));
    real epsilon = (real)(1e-8 * correction); /* 1e-8, as in the paper */
    real *w = m->values, *first = m->first, *second = m->second;
    const real *g = m->gradients;
    for (long i = from; i < to; i++) {
        first[i] = beta1 * first[i] + rest1 * g[i];
        second[i] = beta2 * second[i] + rest2 * g[i] * g[i];
        w[i] -= rate * first[i] / (SQRT(second[i]) + epsilon);
    }
}

void
optimizer_step(Model *m)
{
    if (m->step == 0) {
        m->first = allocate(2 * m->parameters, sizeof *m->first);
        m->second = m->first + m->parameters;
        m->beta1_power = m->beta2_power = 1;
    }
    m->step++;
    m->rate = m->config.lr;
    m->beta1_power *= m->config.beta1;
    m->beta2_power *= m->config.beta2;
    if (m->update)
        m->update(m);
    else
        adam_range(m, 0, (long)m->parameters);
}
