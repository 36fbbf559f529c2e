/* as_run.c - writes a layer of a published model as a run. */
#include <string.h>

#include "config/settings.h"
#include "heart/fail.h"
#include "models/as_run.h"
#include "run/experiment.h"

/* Gives a weight of attention, "block0.attention.W^Q", the layer's entries;
   false where the layer has none of that name and shape. */
static bool
take_weight(Weight *w, const Heads *l)
{
    int i =
        index_in("W^Q W^K W^V W^O b^O b^Q b^K b^V", strrchr(w->name, '.') + 1);
    int d = l->model->d_model, map = i < MAPS ? i : i - MAPS;
    bool turned = map >= OUTPUT, bias = i >= MAPS;
    const Projection *p = &l->of[i < 0 ? 0 : map];
    int columns = p->heads * p->width, rows = bias ? 1 : d;
    if (i < 0 || !(bias ? p->bias : p->weight) ||
        w->rows != (turned ? columns : rows) ||
        w->cols != (turned ? rows : columns))
        return false;
    for (int at = 0; at < w->rows * w->cols; at++) {
        int row = at / w->cols, col = at % w->cols;
        w->value[at] =
            (real)(turned ? entry_of(l, map, col, row, NULL)
                          : entry_of(l, map, bias ? d : row, col, NULL));
    }
    return true;
}

/* Exits if the layer does something to so many tokens that no run does. */
static void
check_function(const Heads *l, int tokens)
{
    int window = l->model->each[l->number].window;
    const char *other = l->model->function;
    if (!other && window < tokens)
        other = format_text("a window of %d tokens", window);
    if (other)
        fail("%s: a run has another function than this: %s; only the layer's "
             "matrices would be the same, so it is not written",
             l->model->name, other);
}

/* Writes the run of a model as it is, without a step of training. */
static char *
write_run(Model *m, const Dataset *data, const char *out)
{
    Finished end = {.result = train(m, data, NULL, NULL)};
    char *name = run_name(&m->config, variant_uses(m->variant));
    char *asked = copy_text("open");
    manifest_add(&asked, "variant", m->config.variant);
    experiment_open(out, asked);
    Draft *d = draft_begin(out, name);
    run_write(d, name, m, &end, &(Observer){0}, data, true);
    draft_end(d, true);
    return name;
}

char *
layer_as_run(const Heads *l, const char *variant, const char *out)
{
    const Published *p = l->model;
    Dataset data;
    Config c = task_start("reverse");
    config_apply(&c, published_settings(p));
    config_apply(&c, "layers=1 steps=0 test=8 validate=8");
    c.mask = p->encoders ? MASK_NONE : MASK_CAUSAL;
    c.variant = interned(variant);
    /* A run's name has a digest of this, too, and so tells layers apart. */
    c.from = format_text("%s, layer %d", p->name, l->number + 1);
    Model *m = model_open(c, &data);
    bool whole = !published_has(p, "capped") && p->rope % p->d_k == 0;
    double stored = published_account(p, 1).stored / p->layers;
    for (Weight *w = m->weights; w < m->weights + m->count; w++)
        whole &= !w->attention || take_weight(w, l);
    if (!whole || (double)attention_parameters(m) != stored)
        fail("%s: %s has other matrices than a %s (biases: %s; has: %s): "
             "biased has those of a bert or gpt2, gqa those of a llama, and "
             "none has norms, sinks, a cap or a part of a key rotated; "
             "`qkv train --from RUN -v %s --steps 0` converts such a run",
             p->name, variant, p->type, p->biases, p->has, variant);
    check_function(l, c.length);
    return write_run(m, &data, out);
}
