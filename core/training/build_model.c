/* build_model.c - makes the model that a config describes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "heart/fail.h"
#include "training/architectures.h"
#include "training/build_model.h"
#include "training/optimizers.h"

/* Multiplies initial weights by the factors of the setting init, which is
   "W_Q=0.1+W_K=0.1". Exits (2) if init cannot be read, or if the model has none
   of the weights that it names. */
static void
scale_starts(Model *m)
{
    const char *at = m->config.init;
    char name[NAME_SIZE];
    double factor;
    bool any = !*at;
    for (int n; *at; at += n + (at[n] == '+')) {
        if (sscanf(at, "%63[^=+]=%lf%n", name, &factor, &n) != 2 ||
            !isfinite(factor) || (at[n] && (at[n] != '+' || !at[n + 1])))
            usage("init \"%s\": not NAME=FACTOR; join several with +: "
                  "W_Q=0.1+W_K=0.1",
                  m->config.init);
        for (Weight *w = m->weights; w < m->weights + m->count; w++) {
            const char *dot = strrchr(w->name, '.');
            if (!one_file(dot ? dot + 1 : w->name, name))
                continue;
            w->deviation *= fabs(factor);
            w->mean *= factor;
            any = true;
        }
    }
    if (!any)
        usage(
            "init \"%s\": %s has no weight with any of these names; the files "
            "in a run's weights/ show the names",
            m->config.init, m->config.variant);
}

/* Refuses a model that would call a variant as it is not meant to be called. */
static void
check_calls(const Config *c, const Plugin *p)
{
    Calls calls = p->variant->calls;
    if (calls != ANY_CALL && c->cross != CROSS_NONE)
        usage("%s is for self-attention only, and this model has "
              "cross-attention: choose a task with one sequence",
              p->name);
    if (calls == CAUSAL_ONLY && c->mask != MASK_CAUSAL)
        usage("%s is for causal attention only, and this model has no mask: "
              "choose another task, or set mask to causal",
              p->name);
}

void
config_cast(Config *c, const Plugin *p)
{
    check_calls(c, p);
    c->plugin_hash = p->hash;
    c->equation = p->equation;
    config_resolve(c, variant_uses(p->variant));
}

Model *
model_new(const Config *c, Sizes sizes, const Variant *v)
{
    Model *m =
        model_outline(c, sizes, v, sizes.step != 0 ? &numbers : &two_sequences);
    m->update = scheduled;
    scale_starts(m);
    model_fill(m);
    model_start(m);
    return m;
}

Model *
model_open(Config c, Dataset *data)
{
    Plugin p = plugin_of(&c);
    config_cast(&c, &p);
    *data = dataset_open(&c);
    return model_new(&c, data->sizes, p.variant);
}

Weights
place_weights(const Model *m, int place)
{
    const ModelPlace *p = &m->place[place];
    return (Weights){.list = m->weights + p->weights, .count = p->declared};
}

Weight *
weight_named(const Model *m, const char *name)
{
    for (int i = 0; i < m->count; i++)
        if (!strcmp(m->weights[i].name, name))
            return &m->weights[i];
    bug("the model has no weight %s", name);
}

size_t
attention_parameters(const Model *m)
{
    size_t sum = 0;
    for (const Weight *w = m->weights; w < m->weights + m->count; w++)
        sum += w->attention ? (size_t)w->rows * (size_t)w->cols : 0;
    return sum;
}
