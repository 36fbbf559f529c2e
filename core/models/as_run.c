/* as_run.c - writes a layer of a published model as a run. */
#include <string.h>

#include "config/settings.h"
#include "heart/fail.h"
#include "models/as_run.h"
#include "run/experiment.h"

/* Fills a weight with a map of the layer, or with its bias, which is the map's
   last row. The maps of W^O and b^O are turned over (heads.h): their columns
   are the rows of the weight. Returns false if the layer has no such map, or
   one of another shape. */
static bool
copy_map(Weight *w, const Heads *l, int map, bool bias)
{
    const Projection *p = &l->of[map];
    bool turned = map == OUTPUT || map == CONSTANT; /* columns are rows of w */
    int d = p->rows, first = bias ? d : 0;
    int rows = bias ? 1 : d, columns = p->heads * p->width;
    if (!(bias ? p->bias : p->weight) || w->rows != (turned ? columns : rows) ||
        w->cols != (turned ? rows : columns))
        return false;
    for (int at = 0; at < w->rows * w->cols; at++) {
        int row = at / w->cols, col = at % w->cols;
        if (turned)
            w->value[at] = (real)entry_of(l, map, col, row, NULL);
        else
            w->value[at] = (real)entry_of(l, map, first + row, col, NULL);
    }
    return true;
}

/* Gives a weight of attention, "block0.attention.W^Q", the layer's entries.
   Returns false if the layer has none of this name and shape. */
static bool
take_weight(Weight *w, const Heads *l)
{
    static const struct {
        const char *name;
        int map;
        bool bias;
    } stored[] = {{"W^Q", QUERY, false},  {"b^Q", QUERY, true},
                  {"W^K", KEY, false},    {"b^K", KEY, true},
                  {"W^V", VALUE, false},  {"b^V", VALUE, true},
                  {"W^O", OUTPUT, false}, {"b^O", CONSTANT, false}};
    const char *name = strrchr(w->name, '.') + 1;
    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++)
        if (!strcmp(stored[i].name, name))
            return copy_map(w, l, stored[i].map, stored[i].bias);
    return false;
}

/* Exits if the layer does something to this many tokens that no run does. */
static void
check_function(const Heads *l, int tokens)
{
    int window = l->model->window;
    const char *other = l->model->function;
    if (!other && window < tokens)
        other = format_text("a window of %d tokens", window);
    if (other)
        fail("%s, layer %d: a run cannot compute what this layer does (%s), so "
             "none was written; choose another layer or model",
             l->model->name, l->number + 1, other);
}

/* Writes the run of a model as it is, without a step of training. */
static char *
write_run(Model *m, const Dataset *data, const char *out)
{
    Finished end = {.result = train(m, data, NULL, NULL)};
    char *name = run_name(&m->config, variant_uses(m->variant));
    char *line = copy_text("open");
    manifest_add(&line, "variant", m->config.variant);
    experiment_open(out, line);
    Draft *d = draft_begin(out, name);
    run_write(d, name, m, &end, &(Observer){0}, data, true);
    draft_end(d, true);
    return name;
}

/* The model has one block, whose attention gets the matrices of the layer; it
   takes no step of training. */
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
    /* The digest in a run's name includes this, so layers have different names.
     */
    c.from = format_text("%s, layer %d", p->name, l->number + 1);
    Model *m = model_open(c, &data);
    bool same = !published_has(p, "capped") && p->rope % p->d_k == 0;
    double stored = layer_account(p, 1).stored;
    for (Weight *w = m->weights; w < m->weights + m->count; w++)
        if (w->attention && !take_weight(w, l))
            same = false;
    if (!same || (double)attention_parameters(m) != stored)
        fail("%s: %s does not have the matrices of a %s (biases: %s; has: %s); "
             "choose biased for a bert or gpt2, gqa for a llama, and convert "
             "its run with `qkv train --from RUN -v %s --steps 0`",
             p->name, variant, p->type, p->biases, p->has, variant);
    check_function(l, c.length);
    return write_run(m, &data, out);
}
