/* build_model.c - makes the model that a config describes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "heart/fail.h"
#include "training/architectures.h"
#include "training/build_model.h"
#include "training/optimizers.h"

/* Multiplies the initial weights of this name by a factor. Returns false if the
   model has none. */
static bool
scale_start(Model *m, const char *name, double factor)
{
    bool found = false;
    for (Weight *w = m->weights; w < m->weights + m->count; w++) {
        const char *dot = strrchr(w->name, '.');
        if (!one_file(dot ? dot + 1 : w->name, name))
            continue;
        w->deviation *= fabs(factor);
        w->mean *= factor;
        found = true;
    }
    return found;
}

/* Multiplies initial weights by the factors of the setting init, which is
   "W_Q=0.1+W_K=0.1". Exits (2) if init cannot be read, or if the model has none
   of the weights that it names. */
static void
scale_starts(Model *m)
{
    const char *at = m->config.init;
    bool any = !*at, more = *at;
    while (more) {
        char name[NAME_SIZE];
        double factor;
        int length;
        bool pair = sscanf(at, "%63[^=+]=%lf%n", name, &factor, &length) == 2;
        if (!pair || !isfinite(factor) || (at[length] && at[length] != '+'))
            usage("init \"%s\": not NAME=FACTOR; join several with +: "
                  "W_Q=0.1+W_K=0.1",
                  m->config.init);
        any |= scale_start(m, name, factor);
        more = at[length] == '+';
        at += length + 1;
    }
    if (!any)
        usage(
            "init \"%s\": %s has no weight with any of these names; the files "
            "in a run's weights/ show the names",
            m->config.init, m->config.variant);
}

/* Exits (2) if a model would call the variant in a way that Variant.calls
   excludes. */
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
config_resolve_for(Config *c, const Plugin *p)
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
    model_fill_onehot(m);
    model_start(m);
    return m;
}

Model *
model_open(Config c, Dataset *data)
{
    Plugin p = plugin_of(&c);
    config_resolve_for(&c, &p);
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
        if (w->attention)
            sum += (size_t)w->rows * (size_t)w->cols;
    return sum;
}
