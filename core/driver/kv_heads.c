/* kv_heads.c - qkv open --kv-heads N: lets groups of heads share keys and
   values (regroup.h), shows how much M and N change, and writes the checkpoint.

   The W^K and W^V of a group are fitted to the products M and N of its heads.
   For comparison, the table also shows how much M and N change if the group
   gets the mean of the heads' W^K and W^V. */
#include "driver/options.h"
#include "models/likeness.h"
#include "models/regroup.h"
#include "page/table.h"

/* clang-format off */
static const Column table_columns[] = {
    {.name = "layer"},
    {.name = "M", .format = "%.3f"}, {.name = "N", .format = "%.3f"},
    {"M_of_mean", .title = "M of mean", .format = "%.3f"}, {"N_of_mean", .title = "N of mean", .format = "%.3f"},
};
/* clang-format on */

/* Exits unless the model can have n heads of keys and values in each layer and,
   if it will be `written`, config.json can say so. */
static void
check_groups(const Published *m, int n, bool written)
{
    if (published_has(m, "latent"))
        fail("%s: a %s model makes keys and values from a latent that all "
             "heads already share; leave out --kv-heads",
             m->name, m->type);
    for (int i = 0; i < m->layers; i++) {
        int groups = m->each[i].groups;
        if (n >= groups || groups % n)
            usage("--kv-heads %d: give a smaller number that divides %d, the "
                  "model's number of key and value heads",
                  n, groups);
    }
    if (scores_are_normed(m))
        fail("%s: a %s norms q and k, so it has no M; leave out --kv-heads",
             m->name, m->type);
    if (written && index_in(m->ignores, "kv-heads") >= 0)
        fail("%s: a %s ignores num_key_value_heads, so its heads cannot share "
             "keys; leave out --out to print only the table",
             m->name, m->type);
}

/* Cuts off the last rows of the tensors of W^K and W^V of a layer, which its
   fewer heads do not use. If both maps are in one tensor, the values follow the
   keys there; the cut after the values then replaces the cut after the keys. */
static void
cut_unused_rows(const Checkpoint *c, const Heads *l)
{
    for (int map = KEY; map <= VALUE; map++) {
        const Projection *p = &l->maps[map];
        int rows_used = p->first + p->heads * p->width; /* up to its end */
        tensor_keep_rows(c, p->weight, rows_used);
        if (p->bias)
            tensor_keep_rows(c, p->bias, rows_used);
    }
}

/* Reduces layer l to `groups` heads of keys and values in two copies of its
   checkpoint: by a fit in `fitted`, by means in `averaged`. Adds a row that
   says how far both are from l, and cuts off unused rows in `fitted`. */
static void
add_layer(Sheet *sheet, const Heads *l, const Checkpoint *fitted,
          const Checkpoint *averaged, int groups)
{
    double to_fit[2], to_mean[2]; /* distances from l, by GAP_M and GAP_N */
    Heads fit = regrouped(heads_of(fitted, l->model, l->number), groups);
    Heads mean = regrouped(heads_of(averaged, l->model, l->number), groups);
    /* M and N include the norm before the layer, which stays the same. */
    fit.gain = mean.gain = l->gain;
    fit.shift = mean.shift = l->shift;
    write_nearest(l, &fit);
    write_mean(l, &mean);
    layer_gaps(l, &fit, to_fit);
    layer_gaps(l, &mean, to_mean);
    sheet_row(sheet, cell(l->number + 1), cell(to_fit[GAP_M]),
              cell(to_fit[GAP_N]), cell(to_mean[GAP_M]), cell(to_mean[GAP_N]));
    cut_unused_rows(fitted, &fit);
}

/* Prints how much M and N of each layer change and, with --out, writes the
   checkpoint. */
int
open_kv_heads(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Checkpoint c = checkpoint_open(o.words[0]);
    Published m = published_read(within(o.words[0], "config.json"));
    Sheet sheet = sheet_of(table_columns, "kv-heads", o.columns);
    const char *out = o.out_given ? o.out : NULL;
    check_groups(&m, o.kv_heads, out);
    if (out)
        refuse_existing(out); /* fails now, not after the work */
    char *config = out ? published_with_groups(&m, o.kv_heads) : NULL;
    Checkpoint fitted = checkpoint_open(c.directory);
    Checkpoint averaged = checkpoint_open(c.directory);
    for (int layer = 0; layer < m.layers; layer++) {
        Heads l = heads_of(&c, &m, layer);
        heads_read_norm(&l, &c); /* now M and N include the norm's gain */
        add_layer(&sheet, &l, &fitted, &averaged, o.kv_heads);
        show_layers(&o, layer + 1, m.layers);
    }
    if (out)
        checkpoint_write(&fitted, out, config);
    sheet.note = format_text(
        "%d heads of keys and values instead of %d: how far M and N are from "
        "those of %s, relative to these. M, N: W^K and W^V are fitted to the "
        "products of all heads that share them; of mean: they are the mean of "
        "the heads' W^K and W^V.%s",
        o.kv_heads, m.groups, o.words[0],
        m.rotated_layers ? " Keys are rotated: M is a mean over all distances "
                           "between query and key."
                         : "");
    sheet_print(&sheet, layout_of(&o));
    return 0;
}
