/* open.c - qkv open: describes the attention of a published checkpoint layer by
   layer. It also writes the checkpoint without its gauge (--slim), a layer as a
   run (--to), or the matrices as NumPy arrays (--npy). --against and --kv-heads
   have their own files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "algebra/canonical.h"
#include "base/files.h"
#include "driver/against.h"
#include "driver/commands.h"
#include "driver/kv_heads.h"
#include "driver/options.h"
#include "models/as_run.h"
#include "models/factors.h"
#include "models/facts.h"
#include "models/likeness.h"
#include "models/slim.h"
#include "page/draw.h"
#include "page/table.h"
#include "run/plugin_process.h"

/* The columns, which meaning() explains. A row is a layer's or a head's, and NA
   in what only the other kind has. */
static const Column facts[] = {
    {.name = "layer"},
    {.name = "head"},
    {"stored", .format = "%.0f"},
    {"real", .format = "%.0f"},
    {"rank_M", .title = "rank M", .format = "%.1f"},
    {"rank_N", .title = "rank N", .format = "%.1f"},
    {"symmetric", .title = "sym.", .format = "%.2f"},
    {"least_M", .title = "least M", .format = "%.2g"},
    {"least_N", .title = "least N", .format = "%.2g"},
    {"copying", .format = "%.2f"},
    {"b_Q", .title = "|b^Q|", .format = "%.3g"},
    {"b_K", .title = "|b^K|", .format = "%.3g"},
    {"pivot", .format = "%.1f"},
    {"error", .format = "%.1e"}};

/* Adds the row of a head, counted from 0, whose products M and N have these
   facts. What only a layer has is NA in it. */
static void
add_head(Sheet *sheet, const Heads *l, int head, const Facts *M, const Facts *N)
{
    int d_k = l->model->d_k;
    double b_Q = bias_norm(l, QUERY, head * d_k, d_k);
    double b_K = bias_norm(l, KEY, group_of(l, KEY, head) * d_k, d_k);
    Cell none = cell_number(NAN);
    sheet_row(sheet, cell_number(l->number + 1), cell_number(head + 1), none,
              none, cell_number(M->rank), cell_number(N->rank),
              cell_number(M->symmetric), cell_number(M->least),
              cell_number(N->least), cell_number(copying_of(l, head)),
              cell_number(b_Q), cell_number(b_K), none, none);
}

/* Writes the singular values of a head's M or N (`map`), relative to the
   largest, into a figure's data. */
static void
write_spectrum(FILE *data, const Heads *l, int head, const char *map,
               const Facts *f)
{
    for (int i = 0; i < f->count; i++)
        fprintf(data, "%d\t%d\t%s\t%d\t%.4g\n", l->number + 1, head + 1, map,
                i + 1, f->singular[i] / f->singular[0]);
}

/* Adds the row of a layer, with the means over its heads; if `each`, a row for
   each of its heads instead. Unless `slim` is NULL, writes the layer without
   its gauge there. Unless `spectra` is NULL, writes the singular values of the
   heads into it. */
static void
add_layer(Sheet *sheet, const Heads *l, const Heads *slim, bool each,
          FILE *spectra)
{
    const Published *m = l->model;
    double pivot = heads_slim(l, slim); /* the worst condition, see meaning() */
    double error = slim ? heads_apart(l, slim) : NAN;
    double rank_M = 0, rank_N = 0, symmetric = 0; /* means over the heads */
    for (int head = 0; head < m->heads; head++) {
        Facts M = facts_of(l, QUERY, KEY, head);
        Facts N = facts_of(l, OUTPUT, VALUE, head);
        rank_M += (double)M.rank / m->heads;
        rank_N += (double)N.rank / m->heads;
        symmetric += M.symmetric / m->heads;
        if (each)
            add_head(sheet, l, head, &M, &N);
        if (spectra) {
            write_spectrum(spectra, l, head, "M", &M);
            write_spectrum(spectra, l, head, "N", &N);
        }
        free(M.singular);
        free(N.singular);
    }
    if (each)
        return;
    Account account = {0};
    account_add(&account, m, 1);
    double b_Q = bias_norm(l, QUERY, 0, m->heads * m->d_k);
    double b_K = bias_norm(l, KEY, 0, m->groups * m->d_k);
    Cell none = cell_number(NAN);
    sheet_row(sheet, cell_number(l->number + 1), none,
              cell_number(account.stored),
              cell_number(account.stored - account.gauge), cell_number(rank_M),
              cell_number(rank_N), cell_number(symmetric), none, none, none,
              cell_number(b_Q), cell_number(b_K), cell_number(pivot),
              cell_number(error));
}

/* Draws M of the head that --head chose, entry by entry. */
static void
draw_map(const Options *o, const Heads *l)
{
    int d = l->model->d_model, d_k = l->model->d_k, head = o->head - 1;
    double *m = allocate(matrix_entries(d, d), sizeof *m);
    double *queries = map_columns(l, QUERY, head * d_k, d_k);
    double *keys = map_columns(l, KEY, group_of(l, KEY, head) * d_k, d_k);
    Figure f = figure_begin(
        &o->draw, "form", "",
        format_text("M = W^Q W^K' of layer %d, head %d", o->layer, o->head));
    product_with_transposed(m, queries, keys, d, d_k, d);
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
    Account all = published_account(m, 1); /* parameters, at any length */
    return format_text(
        "%.0f of the %.0f parameters of attention (%.2f%%) are not really "
        "there: they are gauge, and can be chosen freely.%s%s%s rank: how "
        "many singular values have 99%% of the sum of squares, of %d for M and "
        "%d for N; sym.: the share of M that equals its transpose, 0.5 if "
        "random; least: the smallest singular value, relative to the largest; "
        "copying: the sum of N's eigenvalues, relative to the sum of their "
        "absolute values, 1 if all are positive, 0 if random; a layer's row: "
        "the mean of its heads; pivot: the largest condition number of the "
        "parts that --slim turns into identities.",
        all.gauge, all.stored, 100 * all.gauge / all.stored,
        scores_are_normed(m) ? " Queries and keys are normed after their maps: "
                               "M is their product without the norms."
                             : "",
        m->rotated_layers
            ? ""
            : " A key bias, |b^K|, does nothing: it adds the same to "
              "all scores of a row, and the softmax cancels it.",
        published_has(m, "latent")
            ? " Keys and values are made from a latent: M is of the columns "
              "that are not rotated, and M and N leave out the number by which "
              "a norm divides each token's latent."
            : "",
        m->d_k, m->d_v);
}

/* Prints a row for each layer, or for each head. Also draws the singular values
   of all heads (--draw), and writes the checkpoint without its gauge (--slim),
   layer by layer in a second copy of it. */
static int
open_layers(const Options *o, const Checkpoint *c, const Published *m)
{
    Sheet sheet = sheet_of(facts, "open", o->columns);
    Checkpoint to = checkpoint_open(c->directory);
    Figure f = {0};
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
    Published m = published_read(within(o.rest[0], "config.json"), NULL, NULL);
    if (o.layer > m.layers)
        usage("--layer %d: the model has layers 1 to %d", o.layer, m.layers);
    if (o.head > m.each[o.layer - 1].heads)
        usage("--head %d: layer %d has heads 1 to %d", o.head, o.layer,
              m.each[o.layer - 1].heads);
    if (o.head || o.to) {
        Heads l = heads_of(&c, &m, o.layer - 1);
        const char *run = o.to ? layer_as_run(&l, o.to, o.out) : NULL;
        if (run && !o.quiet)
            note("the run is %s/%s", o.out, run);
        if (o.head)
            draw_map(&o, &l);
        return 0;
    }
    if (o.npy) {
        factors_write(&c, &m, o.npy);
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
