/* as_run.c - writes a layer of a published model as a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/convert.h"
#include "base/files.h"
#include "config/settings.h"
#include "heart/fail.h"
#include "models/as_run.h"
#include "run/experiment.h"

/* The variant whose matrices the model's are; fails where there is none. */
static const char *
own_variant(const Published *p)
{
    int biases =
        p->bias[QUERY] + p->bias[KEY] + p->bias[VALUE] + p->bias[OUTPUT];
    bool grouped = p->groups != p->heads;
    bool plain = p->rope == 0 || p->rope == p->d_k;
    if (p->family->has & (SINKS | HEAD_NORM | FULL_NORM | CAPPED) || !plain ||
        (biases && (biases < 4 || grouped)))
        fail("%s: no variant has the attention of a %s: %s; inspect, equiv and "
             "trace take models without that",
             p->name, p->family->type,
             biases && biases < 4 ? "its biases are not on all four maps"
             : plain              ? "norms, sinks, a cap or biases of groups"
                                  : "it rotates a part of each head");
    return biases ? "biased" : grouped ? "gqa" : "standard";
}

/* The layer's map or bias that is called so: W^O of a variant is not turned. */
static double
entry_named(const Heads *l, const char *name, int row, int col)
{
    int i = (int)(strchr("QKVO", name[2]) - "QKVO");
    const Projection *p = &l->of[i];
    return *name == 'b'  ? p->b[col]
           : i == OUTPUT ? p->w[col * p->cols + row]
                         : p->w[row * p->cols + col];
}

/* The config of a run that has its shape, and one hash of its weights in what
   it is from, so that two layers are two runs. */
static Config
config_of(const Heads *l)
{
    const Published *p = l->model;
    uint64_t hash = HASH_START;
    Config c = task_start("reverse");
    char *settings = published_settings(p);
    for (int i = 0; i < 4; i++)
        hash = hash_bytes(hash, l->of[i].w,
                          (size_t)p->d_model * (size_t)l->of[i].cols *
                              sizeof(double));
    config_apply(&c, settings);
    config_apply(&c, "layers=1 steps=0 test=8 validate=8");
    c.mask = p->encoders ? MASK_NONE : MASK_CAUSAL;
    c.variant = interned(own_variant(p));
    char *from = format_text("layer%d-%08x", l->number + 1, (unsigned)hash);
    c.from = interned(from);
    free(settings);
    free(from);
    return c;
}

/* Writes the run of a model as it is, without a step of training. */
static char *
write_run(Model *m, const Plugin *p, const Dataset *data, const char *out)
{
    Finished end = {.result = train(m, data, NULL, NULL)};
    Observer none = observer_new(m, data);
    char *name = run_name(&m->config, variant_uses(p->variant));
    char *asked = copy_text("open");
    manifest_add(&asked, "variant", p->name);
    experiment_open(out, asked);
    Draft *d = draft_begin(out, name);
    run_write(d, name, m, &end, &none, data, true);
    draft_publish(d, name, true);
    draft_end(d);
    observer_free(&none);
    free(end.result.rows);
    free(asked);
    return name;
}

char *
layer_as_run(const Heads *l, const char *variant, const char *out, double *lost)
{
    Config c = config_of(l);
    Conversion v = {.done = true};
    Plugin own = plugin_open(c.variant), other = plugin_open(variant);
    config_cast(&c, &own);
    Dataset data = dataset_open(&c);
    Model *m = model_new(&c, data.sizes, own.variant);
    for (int i = 0; i < m->count; i++) {
        Weight *w = &m->weights[i];
        const char *name = strrchr(w->name, '.');
        for (int row = 0; w->attention && row < w->rows; row++)
            for (int col = 0; col < w->cols; col++)
                w->value[row * w->cols + col] =
                    (real)entry_named(l, name + 1, row, col);
    }
    if (strcmp(own.name, other.name)) {
        Config shape = c;
        shape.variant = interned(variant);
        config_resolve(&shape, variant_uses(other.variant));
        Model *to = converted(m, &other, &shape, c.from, &v);
        if (!to)
            fail("layer %d cannot become %s: %s", l->number + 1, other.name,
                 v.why);
        model_free(m);
        m = to;
    }
    *lost = fmax(v.form.lost[0], v.form.lost[1]);
    char *name = write_run(m, &other, &data, out);
    model_free(m);
    dataset_close(&data);
    return name;
}
