/* build_model.c - makes the model that a config describes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "heart/fail.h"
#include "training/architectures.h"
#include "training/build_model.h"
#include "training/optimizers.h"

bool
scale_weights(Model *m, const char *name, double factor)
{
    bool found = false;
    for (Weight *w = m->weights; w < m->weights + m->count; w++) {
        const char *dot = strrchr(w->name, '.');
        const char *last = dot ? dot + 1 : w->name;
        if (same_file(last, name)) {
            w->mean *= factor;
            w->deviation *= fabs(factor); /* a deviation is never negative */
            found = true;
        }
    }
    return found;
}

/* Multiplies initial weights by the factors of the setting init, such as
   "W_Q=0.1+W_K=0.1". Exits (2) if init cannot be read, or if the model has none
   of the weights that it names. */
static void
scale_initial_weights(Model *m)
{
    const char *init = m->config.init;
    bool found = false;
    if (!*init)
        return;
    char *rest = copy_text(init);
    for (char *pair = strsep(&rest, "+"); pair; pair = strsep(&rest, "+")) {
        char *sign = strchr(pair, '=');
        double factor;
        /* number_read returns NULL if the text is a number. */
        if (!sign ||
            number_read(sign + 1, ANY_NUMBER, -DBL_MAX, DBL_MAX, &factor))
            usage("init \"%s\": \"%s\" is not NAME=FACTOR; join several with "
                  "+, as in W_Q=0.1+W_K=0.1",
                  init, pair);
        *sign = 0; /* cuts the pair to NAME */
        found |= scale_weights(m, pair, factor);
    }
    if (!found)
        usage("init \"%s\": a model of %s has no weight with any of these "
              "names; choose names from the files in a run's weights/",
              init, m->config.variant);
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

/* model_outline lists the weights, and counts the rows of one-hot vectors. So
   the initial entries can be scaled before model_start draws them, and the
   one-hot vectors can be filled in. */
Model *
model_new(const Config *c, Sizes sizes, const Variant *v)
{
    bool answers_are_numbers = sizes.step != 0; /* not classes */
    Model *m = model_outline(c, sizes, v,
                             answers_are_numbers ? &numbers : &two_sequences);
    m->update = update_weights;
    scale_initial_weights(m);
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
    const ModelPlace *p = &m->place[place]; /* p->weights is an index */
    return (Weights){.list = &m->weights[p->weights], .count = p->declared};
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
