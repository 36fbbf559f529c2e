/* as_run.c - writes a layer of a published model as a run. */
#include <string.h>

#include "config/settings.h"
#include "heart/fail.h"
#include "models/as_run.h"
#include "run/experiment.h"

/* Copies rows first .. first + rows - 1 of a map into a weight. The maps of W^O
   and b^O are transposed (heads.h): their columns are rows of the weight.
   Returns false if the weight has another shape than the rows. */
static bool
copy_rows(Weight *w, const Heads *l, int map, int first, int rows)
{
    bool transposed = map == OUTPUT || map == CONSTANT;
    int columns = l->maps[map].heads * l->maps[map].width;
    if (w->rows != (transposed ? columns : rows) ||
        w->cols != (transposed ? rows : columns))
        return false;
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < columns; col++) {
            int place = transposed ? col * rows + row : row * columns + col;
            w->value[place] = (real)entry_of(l, map, first + row, col);
        }
    return true;
}

/* Copies the layer's entries into a weight of attention, such as
   "block0.attention.W^Q". Returns false if the layer has nothing of this name
   and shape. */
static bool
copy_weight(Weight *w, const Heads *l)
{
    const int first_row = 0, one_row = 1;
    const char *name = strrchr(w->name, '.') + 1; /* "W^Q" */
    /* Both lists are in the order of the maps QUERY .. CONSTANT, so an index in
       a list is the number of a map. b^O is a whole map; each other bias is the
       last row of a map. */
    int map = index_in("W^Q W^K W^V W^O b^O", name);
    int map_of_bias = index_in("b^Q b^K b^V", name);
    if (map >= 0)
        return l->maps[map].weight &&
               copy_rows(w, l, map, first_row, l->maps[map].rows);
    return map_of_bias >= 0 && l->maps[map_of_bias].bias &&
           copy_rows(w, l, map_of_bias, l->maps[map_of_bias].rows, one_row);
}

/* Exits if no run of `tokens` tokens can compute what the layer computes,
   because the layer has a special function (Published.function) or a window of
   fewer tokens. */
static void
check_function(const Heads *l, int tokens)
{
    int window = l->model->window;
    const char *difference = l->model->function;
    if (!difference && window < tokens)
        difference = format_text("a window of %d tokens", window);
    if (difference)
        fail("%s, layer %d: a run cannot compute what this layer does (%s), so "
             "none was written; choose another layer or model",
             l->model->name, l->number + 1, difference);
}

/* Writes the model as a run of 0 training steps into the experiment `out`, and
   adds a line of the command `open` to the experiment's record. Returns the
   run's name, which the caller frees. */
static char *
write_run(Model *m, const Dataset *data, const char *out)
{
    const Observer nothing_observed = {0};
    Watch *const no_watch = NULL;
    Finished end = {.result = train(m, data, no_watch, NULL)};
    char *name = run_name(&m->config, variant_uses(m->variant));
    char *line = copy_text("open");
    manifest_add(&line, "variant", m->config.variant);
    experiment_open(out, line);
    Draft *d = draft_begin(out, name);
    char *run = run_write(d, name, m, &end, &nothing_observed, data);
    matrices_write(run, "weights", m, m->values);
    draft_end(d, REPLACE_OLD);
    return name;
}

/* The settings of the run. Every run has a task, so this one has a few examples
   of `reverse`, which have nothing to do with the layer. c.from names the
   layer; it is part of the digest in the run's name, so that the runs of two
   layers have different names. */
static Config
settings_of_run(const Heads *l, const char *variant)
{
    const Published *p = l->model;
    Config c = task_start("reverse");
    config_apply(&c, published_settings(p));
    config_apply(&c, "layers=1 steps=0 test=8 validate=8");
    c.mask = p->in_encoder ? MASK_NONE : MASK_CAUSAL;
    c.variant = interned(variant);
    c.from = format_text("%s, layer %d", p->name, l->number + 1);
    return c;
}

/* The model has one block, whose attention gets the matrices of the layer. The
   variant must have exactly these matrices. copy_weight fails for a weight that
   the layer does not have. A matrix of the layer that the variant does not have
   is found by comparing the numbers of parameters. A run cannot have capped
   scores, nor heads with both rotated and unrotated columns. */
char *
layer_as_run(const Heads *l, const char *variant, const char *out)
{
    const Published *p = l->model;
    Dataset data;
    Model *m = model_open(settings_of_run(l, variant), &data);
    bool rotates_part = p->rope % p->d_k != 0; /* rope is neither 0 nor d_k */
    bool fits = !published_has(p, "capped") && !rotates_part;
    Account account = {0};
    account_add(&account, p, ANY_LENGTH);
    for (Weight *w = m->weights; w < m->weights + m->count; w++)
        if (w->attention && !copy_weight(w, l))
            fits = false;
    if (!fits || (double)attention_parameters(m) != account.stored)
        fail("%s: %s does not have the matrices or positions of a %s (biases: "
             "%s; has: %s); write a run of biased (bert, gpt2) or gqa (llama), "
             "and convert it with `qkv train --from RUN -v %s --steps 0`",
             p->name, variant, p->type, p->biases, p->has, variant);
    check_function(l, m->config.length);
    return write_run(m, &data, out);
}
