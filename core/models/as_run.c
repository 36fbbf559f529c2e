/* as_run.c - writes a layer of a published model as a run. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "config/settings.h"
#include "heart/fail.h"
#include "models/accounts.h"
#include "models/as_run.h"
#include "run/experiment.h"

/* The layer's map or bias that is called so by a variant, whose W^O is not
   turned; NULL where it has none of that name and shape. */
static const double *
entry_named(const Heads *l, const char *name, int row, int col)
{
    const char *letter = strlen(name) == 3 ? strchr("QKVO", name[2]) : NULL;
    int i = letter ? (int)(letter - "QKVO") : 0, d = l->model->d_model;
    const Projection *p = &l->of[i];
    bool bias = *name == 'b';
    int rows = bias ? 1 : i == OUTPUT ? p->cols : d;
    int cols = i == OUTPUT ? d : p->cols;
    if (!letter || !strchr("Wb", *name) || row >= rows || col >= cols)
        return NULL;
    return bias          ? p->b ? p->b + col : NULL
           : i == OUTPUT ? p->w + col * p->cols + row
                         : p->w + row * p->cols + col;
}

/* Gives the model of a variant the layer's matrices. Returns how many entries
   there were, -1 where the layer lacks some. */
static double
take_matrices(Model *m, const Heads *l)
{
    double taken = 0;
    for (int i = 0; i < m->count; i++) {
        Weight *w = &m->weights[i];
        const char *name = strrchr(w->name, '.');
        for (int k = 0; w->attention && k < w->rows * w->cols; k++) {
            const double *from =
                entry_named(l, name + 1, k / w->cols, k % w->cols);
            if (!from)
                return -1;
            w->value[k] = (real)*from;
            taken++;
        }
    }
    return taken;
}

/* The config of a run that has its shape, and one hash of its weights in what
   it is from, so that two layers are two runs. */
static Config
config_of(const Heads *l, const char *variant)
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
    c.variant = interned(variant);
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
layer_as_run(const Heads *l, const char *variant, const char *out)
{
    const Published *p = l->model;
    Config c = config_of(l, variant);
    Plugin plugin = plugin_open(variant);
    config_cast(&c, &plugin);
    Dataset data = dataset_open(&c);
    Model *m = model_new(&c, data.sizes, plugin.variant);
    bool between = p->family->has & (SINKS | HEAD_NORM | FULL_NORM | CAPPED) ||
                   (p->rope > 0 && p->rope < p->d_k);
    if (between || take_matrices(m, l) != stored_parameters(p) / p->layers)
        fail("%s: %s has other matrices than a %s%s; biased, gqa and standard "
             "have those of many, and `qkv train --from RUN -v %s` converts "
             "such a run",
             p->name, plugin.name, p->family->type,
             between ? ", which has norms, sinks, a cap, or columns that are "
                       "not rotated"
                     : "",
             plugin.name);
    char *name = write_run(m, &plugin, &data, out);
    model_free(m);
    dataset_close(&data);
    return name;
}
