/* optimizers.c - how a step of training moves the weights: the learning rate,
   weight decay, and SGD. A new optimizer also needs its name in the setting
   "optimizer" (config/settings.c) and its constant (config/settings.h). */
#include "config/settings.h"
#include "fast/threads.h"
#include "operators/functions.h"
#include "training/muon.h"
#include "training/optimizers.h"

double
learning_rate(const Config *c, int step)
{
    if (step <= c->warmup) /* warmup is not 0 here, since step is at least 1 */
        return c->lr * step / c->warmup;
    if (c->schedule == SCHEDULE_CONSTANT)
        return c->lr;
    const double pi = 3.14159265358979323846;
    /* the fraction of the steps after the warmup that are done, 0 to 1 */
    double done = (double)(step - c->warmup) / (c->steps - c->warmup);
    double sine, cosine;
    sine_cosine(done * pi, &sine, &cosine);
    return c->lr * (1 + cosine) / 2;
}

/* Applies weight decay. With adamw and muon, it shrinks the weights: w *= 1 -
   rate decay (Loshchilov and Hutter 2017, algorithm 2). With adam and sgd, it
   adds the gradient of decay w^2 / 2 instead: g += decay w. */
static void
decay_weights(Model *m)
{
    const Config *c = &m->config;
    real decay = (real)c->weight_decay;
    real kept = (real)(1 - m->rate * c->weight_decay);
    bool shrink =
        c->optimizer == OPTIMIZER_ADAMW || c->optimizer == OPTIMIZER_MUON;
    for (size_t i = 0; i < m->parameters; i++)
        if (shrink)
            m->values[i] *= kept;
        else
            m->gradients[i] += decay * m->values[i];
}

/* SGD with momentum: v = momentum v + g,  w -= rate v. m->first is v. */
static void
sgd(Model *m)
{
    real momentum = (real)m->config.momentum;
    real *w = m->values, *v = m->first;
    for (size_t i = 0; i < m->parameters; i++) {
        v[i] = momentum * v[i] + m->gradients[i];
        w[i] -= (real)m->rate * v[i];
    }
}

void
update_weights(Model *m)
{
    const Config *c = &m->config;
    m->rate = learning_rate(c, m->step);
    if (c->weight_decay > 0)
        decay_weights(m);
    if (c->optimizer == OPTIMIZER_SGD)
        sgd(m);
    else if (c->optimizer == OPTIMIZER_MUON)
        muon(m);
    else
        parallel_for((long)m->parameters, adam_range, m);
}
