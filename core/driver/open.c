/* open.c - qkv open: describes the attention of a published checkpoint layer by
   layer, and writes the same checkpoint without its gauge. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "algebra/svd.h"
#include "base/files.h"
#include "driver/against.h"
#include "driver/commands.h"
#include "driver/kv_heads.h"
#include "driver/options.h"
#include "models/as_run.h"
#include "models/likeness.h"
#include "models/slim.h"
#include "page/draw.h"
#include "page/table.h"
#include "run/plugin_process.h"

static const Column facts[] = {{.name = "layer"},
                               {.name = "head"},
                               {"stored", .format = "%.0f"},
                               {"real", .format = "%.0f"},
                               {"rank_M", .title = "rank M", .format = "%.1f"},
                               {"rank_N", .title = "rank N", .format = "%.1f"},
                               {"symmetric", .title = "sym.", .format = "%.2f"},
                               {"b_Q", .title = "|b^Q|", .format = "%.3g"},
                               {"b_K", .title = "|b^K|", .format = "%.3g"},
                               {"pivot", .format = "%.1f"},
                               {"error", .format = "%.1e"}};

/* The facts of a head. The row of a layer has the means over its heads. */
enum { RANK_M, RANK_N, SYMMETRIC, OF_HEAD };

/* Adds the row of a head. The facts that only a layer has are NA in it. */
static void
add_head(Sheet *sheet, const Heads *l, int head, const double fact[OF_HEAD])
{
    int k = l->model->d_k, group = head * l->of[KEY].heads / l->model->heads;
    sheet_row(sheet, cell_number(l->number + 1), cell_number(head + 1),
              cell_number(NAN), cell_number(NAN), cell_number(fact[RANK_M]),
              cell_number(fact[RANK_N]), cell_number(fact[SYMMETRIC]),
              cell_number(bias_norm(l, QUERY, head * k, k)),
              cell_number(bias_norm(l, KEY, group * k, k)), cell_number(NAN),
              cell_number(NAN));
}

/* Adds the row of a layer; if `each`, a row for each of its heads instead.
   Unless `slim` is NULL, writes the layer without its gauge there. Unless
   `spectra` is NULL, writes the singular values of the heads into it. */
static void
add_layer(Sheet *sheet, const Heads *l, const Heads *slim, bool each,
          FILE *spectra)
{
    const Published *m = l->model;
    int d = m->d_model;
    Account all = published_account(m, 1);
    double *form = allocate(matrix_entries(d, d), sizeof *form);
    double pivot = heads_slim(l, slim), mean[OF_HEAD] = {0};
    double error = slim ? heads_apart(l, slim) : NAN;
    for (int head = 0; head < m->heads; head++) {
        double fact[OF_HEAD];
        fact[RANK_M] = energy_rank(l, QUERY, KEY, head, form, spectra);
        fact[RANK_N] = energy_rank(l, OUTPUT, VALUE, head, NULL, spectra);
        fact[SYMMETRIC] = symmetric_share(form, d);
        for (int i = 0; i < OF_HEAD; i++)
            mean[i] += fact[i] / m->heads;
        if (each)
            add_head(sheet, l, head, fact);
    }
    if (!each)
        sheet_row(sheet, cell_number(l->number + 1), cell_number(NAN),
                  cell_number(all.stored / m->layers),
                  cell_number((all.stored - all.gauge) / m->layers),
                  cell_number(mean[RANK_M]), cell_number(mean[RANK_N]),
                  cell_number(mean[SYMMETRIC]),
                  cell_number(bias_norm(l, QUERY, 0, m->heads * m->d_k)),
                  cell_number(bias_norm(l, KEY, 0, m->groups * m->d_k)),
                  cell_number(pivot), cell_number(error));
    free(form);
}

/* Draws M of a head of a layer, entry by entry. */
static void
draw_map(const Options *o, const Heads *l)
{
    int d = l->model->d_model;
    double *m = allocate(matrix_entries(d, d), sizeof *m);
    Figure f = figure_begin(
        &o->draw, "form", "",
        format_text("M = W^Q W^K' of layer %d, head %d", o->layer, o->head));
    energy_rank(l, QUERY, KEY, o->head - 1, m, NULL);
    fprintf(f.data, "row\tcolumn\tentry\n");
    for (int i = 0; i < d * d; i++)
        fprintf(f.data, "%d\t%d\t%.4g\n", i / d + 1, i % d + 1, m[i]);
    figure_end(&f, "form.gp", "");
}

/* The note below the table: how many parameters are gauge, and the meaning of
   the columns. */
static char *
meaning(const Published *m)
{
    Account all = published_account(m, 1);
    return format_text(
        "%.0f of the %.0f parameters of attention (%.2f%%) are not really "
        "there: they are gauge, and can be chosen freely.%s rank: the number "
        "of singular values that have 99%% of the sum of squares, of %d for M "
        "and %d for N; sym.: the share of M that equals its transpose, 0.5 if "
        "random; a layer's row: the mean of its heads; pivot: the worst "
        "condition of the parts that become identities.",
        all.gauge, all.stored, 100 * all.gauge / all.stored,
        m->rope ? ""
                : " A key bias, |b^K|, does nothing: it adds the same to "
                  "all scores of a row, and the softmax cancels it.",
        m->d_k, m->d_v);
}

/* Prints all layers. Also draws the singular values of their heads (--draw),
   and writes the checkpoint without its gauge (--slim). */
static int
open_layers(const Options *o, const Checkpoint *c, const Published *m)
{
    Sheet sheet = {facts, .cols = sizeof facts / sizeof *facts, .label = "open",
                   .chosen = o->columns};
    Checkpoint to = checkpoint_open(c->directory);
    Figure f = {0};
    check_columns(&sheet);
    if (o->slim)
        checkpoint_place(o->slim);
    if (o->spectra) {
        f = figure_begin(&o->draw, "spectra", "",
                         "The singular values of every head");
        fprintf(f.data, "layer\thead\tmap\twhich\tsize\n");
    }
    for (int layer = 0; layer < m->layers; layer++) {
        Heads l = heads_of(c, m, layer), slim = heads_of(&to, m, layer);
        add_layer(&sheet, &l, o->slim ? &slim : NULL, o->heads, f.data);
        show_layers(o, layer + 1, m->layers);
    }
    if (o->slim)
        checkpoint_write(&to, o->slim, NULL);
    if (o->spectra) {
        figure_word(
            &f, "shape",
            format_text("%d %d %d %d", m->layers, m->heads, m->d_k, m->d_v));
        figure_end(&f, "spectra.gp", "");
    }
    sheet.note = meaning(m);
    sheet_print(&sheet, layout_of(o));
    return 0;
}

int
command_open(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Checkpoint c = checkpoint_open(o.rest[0]);
    Published m = published_read(within(o.rest[0], "config.json"), NULL);
    if (o.layer > m.layers || o.head > m.heads)
        usage("--layer, --head: the model has layers 1 to %d and heads 1 to %d",
              m.layers, m.heads);
    if (o.head || o.to) {
        Heads l = heads_of(&c, &m, o.layer - 1);
        const char *run = o.to ? layer_as_run(&l, o.to, o.out) : NULL;
        if (run && !o.quiet)
            note("the run is %s/%s", o.out, run);
        if (o.head)
            draw_map(&o, &l);
        return 0;
    }
    if (sizeof(real) == 4)
        return run_in_double(argc, argv);
    if (o.against)
        return open_against(&o, &c, &m);
    if (o.kv_heads)
        return open_kv_heads(&o, &c, &m);
    return open_layers(&o, &c, &m);
}
