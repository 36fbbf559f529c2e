/* schedule.c - how the rate of training runs, and SGD. */
#include "config/schedule.h"
#include "config/settings.h"
#include "heart/numbers.h"

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
sgd(Optimizer *o)
{
    const Model *m = o->model;
    const Config *c = &m->config;
    real momentum = (real)c->momentum, rate = (real)o->rate;
    real decay = (real)c->weight_decay;
    real *w = m->values, *v = o->first;
    const real *g = m->gradients;
    for (size_t i = 0; i < m->parameters; i++) {
        v[i] = momentum * v[i] + (g[i] + decay * w[i]);
        w[i] -= rate * v[i];
    }
}

void
scheduled(Optimizer *o, int step)
{
    const Config *c = &o->model->config;
    o->rate = learning_rate(c, step);
    if (c->optimizer == OPTIMIZER_SGD)
        sgd(o);
    else
        adam(o, step);
}

bool
out_of_patience(const Result *r, int patience)
{
    double best = INFINITY;
    int at = 0;
    for (int i = 0; i < r->count; i++)
        if (r->rows[i].validation_loss < best) {
            best = r->rows[i].validation_loss;
            at = i;
        }
    return patience && r->count - 1 - at >= patience;
}
