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
#include "driver/kv_heads.h"
#include "driver/options.h"
#include "models/as_run.h"
#include "models/factors.h"
#include "models/facts.h"
#include "models/likeness.h"
#include "models/slim.h"
#include "page/table.h"
#include "run/plugin_process.h"

/* The columns, which meaning() explains. A row is about a layer or about a
   head. Each kind of row has NA in the columns that only the other kind has. */
/* clang-format off */
static const Column table_columns[] = {
    {.name = "layer"}, {.name = "head"},
    {"stored", .format = "%.0f"}, {"real", .format = "%.0f"},
    {"rank_M", .title = "rank M", .format = "%.1f"}, {"rank_N", .title = "rank N", .format = "%.1f"},
    {"symmetric", .title = "sym.", .format = "%.2f"},
    {"least_M", .title = "least M", .format = "%.2g"}, {"least_N", .title = "least N", .format = "%.2g"},
    {"copying", .format = "%.2f"},
    {"b_Q", .title = "|b^Q|", .format = "%.3g"}, {"b_K", .title = "|b^K|", .format = "%.3g"},
    {"pivot", .format = "%.1f"}, {"error", .format = "%.1e"},
};
/* clang-format on */

/* Adds the row of head `head` (counted from 0) of layer l. M and N are the
   facts about the head's two products. */
static void
add_head(Sheet *sheet, const Heads *l, int head, const Facts *M, const Facts *N)
{
    int d_k = l->model->d_k;
    double b_Q = bias_norm(l, QUERY, head * d_k, d_k);
    double b_K = bias_norm(l, KEY, group_of(l, KEY, head) * d_k, d_k);
    Cell only_layers = cell(NAN);
    sheet_row(sheet, cell(l->number + 1), cell(head + 1), only_layers,
              only_layers, cell(M->rank), cell(N->rank), cell(M->symmetric),
              cell(M->least), cell(N->least), cell(copying_of(l, head)),
              cell(b_Q), cell(b_K), only_layers, only_layers);
}

/* Writes the singular values of a head's product ("M" or "N"), relative to the
   largest, into a figure's data, a line for each. */
static void
write_spectrum(FILE *data, const Heads *l, int head, const char *product,
               const Facts *f)
{
    for (int i = 0; i < f->count; i++)
        fprintf(data, "%d\t%d\t%s\t%d\t%.4g\n", l->number + 1, head + 1,
                product, i + 1, f->singular[i] / f->singular[0]);
}

/* Adds the row of layer l, with the means over its heads; if `each_head`, a row
   for each of its heads instead. If `slim` is not NULL, it is the same layer of
   a second checkpoint, and becomes l without its gauge. If `spectra` is not
   NULL, writes the singular values of the heads into that file. */
static void
add_layer(Sheet *sheet, const Heads *l, const Heads *slim, bool each_head,
          FILE *spectra)
{
    const Published *m = l->model;
    double worst_condition = heads_slim(l, slim);
    double slim_error = slim ? heads_apart(l, slim) : NAN;
    double rank_M = 0, rank_N = 0, symmetric = 0; /* means over the heads */
    for (int head = 0; head < m->heads; head++) {
        Facts M = facts_of(l, QUERY, KEY, head);
        Facts N = facts_of(l, OUTPUT, VALUE, head);
        rank_M += (double)M.rank / m->heads;
        rank_N += (double)N.rank / m->heads;
        symmetric += M.symmetric / m->heads;
        if (each_head)
            add_head(sheet, l, head, &M, &N);
        if (spectra) {
            write_spectrum(spectra, l, head, "M", &M);
            write_spectrum(spectra, l, head, "N", &N);
        }
        free(M.singular);
        free(N.singular);
    }
    if (each_head)
        return;
    Account account = {0};
    account_add(&account, m, ANY_LENGTH);
    const int first = 0; /* the norm of all biases */
    double b_Q = bias_norm(l, QUERY, first, m->heads * m->d_k);
    double b_K = bias_norm(l, KEY, first, m->groups * m->d_k);
    Cell only_heads = cell(NAN);
    sheet_row(sheet, cell(l->number + 1), only_heads, cell(account.stored),
              cell(account.stored - account.gauge), cell(rank_M), cell(rank_N),
              cell(symmetric), only_heads, only_heads, only_heads, cell(b_Q),
              cell(b_K), cell(worst_condition), cell(slim_error));
}

/* Draws M (d_model x d_model) of the head that --head chose, a coloured cell
   for each entry. The columns of W^Q and W^K have their biases as an additional
   last row, which M leaves out. */
static void
draw_M(const Options *o, const Heads *l)
{
    int d = l->model->d_model, d_k = l->model->d_k, head = o->head - 1;
    double *m = allocate(matrix_entries(d, d), sizeof *m);
    double *W_Q = map_columns(l, QUERY, head * d_k, d_k);
    double *W_K = map_columns(l, KEY, group_of(l, KEY, head) * d_k, d_k);
    Figure f = figure_begin(
        &o->draw, "form",
        format_text("M = W^Q W^K' of layer %d, head %d", o->layer, o->head));
    product_with_transposed(m, W_Q, W_K, d, d_k, d);
    fprintf(f.data, "row\tcolumn\tentry\n");
    for (int row = 0; row < d; row++)
        for (int col = 0; col < d; col++)
            fprintf(f.data, "%d\t%d\t%.4g\n", row + 1, col + 1,
                    m[row * d + col]);
    figure_end(&f, "form.gp");
}

/* The note below the table: how many parameters are gauge, the meaning of the
   columns, and for some models a sentence about their special features. */
static char *
meaning(const Published *m)
{
    Account all = published_account(m, ANY_LENGTH);
    const char *normed = "", *key_bias = "", *latent = "";
    if (scores_are_normed(m))
        normed = " Queries and keys are normed after their maps: M is their "
                 "product without the norms.";
    if (!m->rotated_layers)
        key_bias = " A key bias, |b^K|, does nothing: it adds the same to all "
                   "scores of a row, and the softmax cancels it.";
    if (published_has(m, "latent"))
        latent = " Keys and values are made from a latent: M is of the columns "
                 "that are not rotated, and M and N leave out the number by "
                 "which a norm divides each token's latent.";
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
        all.gauge, all.stored, 100 * all.gauge / all.stored, normed, key_bias,
        latent, m->d_k, m->d_v);
}

/* Prints the table of layers or, with --heads, of heads. With --draw, draws the
   singular values of all heads. With --slim, removes the gauge from a second
   copy of the checkpoint, layer by layer, and writes that copy. */
static int
open_layers(const Options *o, const Checkpoint *c, const Published *m)
{
    Sheet sheet = sheet_of(table_columns, "open", o->columns);
    Checkpoint second_copy = checkpoint_open(c->directory);
    Figure f = {0};
    if (o->slim)
        refuse_existing(o->slim); /* fails now, not after the work */
    if (o->draw_heads) {
        f = figure_begin(&o->draw, "spectra",
                         "The singular values of every head");
        fprintf(f.data, "layer\thead\tmap\twhich\tsize\n");
    }
    for (int layer = 0; layer < m->layers; layer++) {
        Heads l = heads_of(c, m, layer);
        Heads slim = heads_of(&second_copy, m, layer);
        add_layer(&sheet, &l, o->slim ? &slim : NULL, o->heads, f.data);
        show_layers(o, layer + 1, m->layers);
    }
    if (o->slim)
        checkpoint_write(&second_copy, o->slim, NULL);
    if (o->draw_heads) {
        figure_word(
            &f, "shape",
            format_text("%d %d %d %d", m->layers, m->heads, m->d_k, m->d_v));
        figure_end(&f, "spectra.gp");
    }
    sheet.note = meaning(m);
    sheet_print(&sheet, layout_of(o));
    return 0;
}

int
command_open(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Checkpoint c = checkpoint_open(o.words[0]);
    Published m = published_read(within(o.words[0], "config.json"));
    if (o.layer > m.layers)
        usage("--layer %d: the model has layers 1 to %d", o.layer, m.layers);
    if (o.head > m.each[o.layer - 1].heads)
        usage("--head %d: layer %d has heads 1 to %d", o.head, o.layer,
              m.each[o.layer - 1].heads);
    if (o.head || o.to) {
        Heads l = heads_of(&c, &m, o.layer - 1);
        if (o.to) {
            const char *run = layer_as_run(&l, o.to, o.out);
            if (!o.quiet)
                note("the run is %s/%s", o.out, run);
        }
        if (o.head)
            draw_M(&o, &l);
        return 0;
    }
    if (o.npy) {
        factors_write(&c, &m, o.npy);
        return 0;
    }
    if (sizeof(real) == sizeof(float)) /* what follows needs double precision */
        return run_in_double(argc, argv);
    if (o.against)
        return open_against(&o, &c, &m);
    if (o.kv_heads)
        return open_kv_heads(&o, &c, &m);
    return open_layers(&o, &c, &m);
}
