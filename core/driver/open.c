/* open.c - qkv open: describes the attention of a published checkpoint layer by
   layer, by facts about the products M = W^Q W^K' and N = W^V W^O of its heads.

   It also writes the checkpoint without its gauge, the parameters that change
   nothing (--slim); a layer as a run (--to); or the matrices as NumPy arrays
   (--npy). --against is in against.c, and --kv-heads in kv_heads.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/options.h"
#include "models/as_run.h"
#include "models/factors.h"
#include "models/facts.h"
#include "models/likeness.h"
#include "models/slim.h"
#include "page/table.h"
#include "run/plugin_process.h"

/* The columns, which meaning() explains. A row is about a layer or about a
   head, and has no value in the columns that only the other kind of row has. */
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

/* The norm of a head's part of the bias of a map, QUERY or KEY. */
static double
head_bias(const Heads *l, int map, int head)
{
    int d_k = l->model->d_k, first_column = group_of(l, map, head) * d_k;
    return bias_norm(l, map, first_column, d_k);
}

/* Adds the row of head `head` (counted from 0) of layer l. M and N are the
   facts about the head's two products. */
static void
add_head(Sheet *sheet, const Heads *l, int head, const Facts *M, const Facts *N)
{
    double b_Q = head_bias(l, QUERY, head), b_K = head_bias(l, KEY, head);
    Cell empty = cell(NAN); /* only rows of layers have a number here */
    sheet_row(sheet, cell(l->number + 1), cell(head + 1), empty, empty,
              cell(M->rank), cell(N->rank), cell(M->symmetric), cell(M->least),
              cell(N->least), cell(copying_of(l, head)), cell(b_Q), cell(b_K),
              empty, empty);
}

/* Writes the singular values of a head's product ("M" or "N"), relative to the
   largest, into a figure's data, one on each line. */
static void
write_spectrum(FILE *data, const Heads *l, int head, const char *product,
               const Facts *f)
{
    for (int i = 0; i < f->count; i++)
        fprintf(data, "%d\t%d\t%s\t%d\t%.4g\n", l->number + 1, head + 1,
                product, i + 1, f->singular[i] / f->singular[0]);
}

/* Means over the heads of a layer, of fields of Facts (facts.h). */
typedef struct Means {
    double rank_M, rank_N, symmetric;
} Means;

/* Adds the row of layer l. worst_condition is the largest condition number of
   the blocks that --slim inverts (slim.h). slim_error is how far the layer
   without its gauge is from l, NaN without --slim. */
static void
add_means(Sheet *sheet, const Heads *l, Means mean, double worst_condition,
          double slim_error)
{
    const Published *m = l->model;
    const int first_column = 0; /* the norms are those of whole biases */
    double b_Q = bias_norm(l, QUERY, first_column, m->heads * m->d_k);
    double b_K = bias_norm(l, KEY, first_column, m->groups * m->d_k);
    Cell empty = cell(NAN); /* only rows of heads have a number here */
    Account account = {0};
    account_add(&account, m, ANY_LENGTH);
    sheet_row(sheet, cell(l->number + 1), empty, cell(account.stored),
              cell(account.stored - account.gauge), cell(mean.rank_M),
              cell(mean.rank_N), cell(mean.symmetric), empty, empty, empty,
              cell(b_Q), cell(b_K), cell(worst_condition), cell(slim_error));
}

/* Adds one row for layer l or, with --heads, one for each of its heads. If
   `slim` is not NULL, it is the same layer in a copy of the checkpoint, and
   becomes l without its gauge. If `spectra` is not NULL, writes the singular
   values of the heads into that file. */
static void
add_layer(Sheet *sheet, const Options *o, const Heads *l, const Heads *slim,
          FILE *spectra)
{
    double heads = l->model->heads; /* a double, because it divides ranks */
    double worst_condition = heads_slim(l, slim); /* fills `slim` */
    double slim_error = slim ? heads_apart(l, slim) : NAN;
    Means mean = {0};
    for (int head = 0; head < heads; head++) {
        Facts M = facts_of(l, QUERY, KEY, head);
        /* OUTPUT and VALUE make N', which has the same facts as N */
        Facts N = facts_of(l, OUTPUT, VALUE, head);
        mean.rank_M += M.rank / heads;
        mean.rank_N += N.rank / heads;
        mean.symmetric += M.symmetric / heads;
        if (o->heads)
            add_head(sheet, l, head, &M, &N);
        if (spectra) {
            write_spectrum(spectra, l, head, "M", &M);
            write_spectrum(spectra, l, head, "N", &N);
        }
        free(M.singular);
        free(N.singular);
    }
    if (!o->heads)
        add_means(sheet, l, mean, worst_condition, slim_error);
}

/* Draws M (d_model x d_model) of the head that --head chose, with a coloured
   cell for each entry. */
static void
draw_M(const Options *o, const Heads *l)
{
    int d = l->model->d_model, d_k = l->model->d_k, head = o->head - 1;
    double *m = allocate(matrix_entries(d, d), sizeof *m);
    /* d + 1 rows and d_k columns; the last row, the bias, is not used. */
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

/* The note below the table: how many parameters are gauge, what the columns
   mean, and a sentence about each special feature of the model. */
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
        latent = " Keys and values are made from a latent: M is made from the "
                 "columns that are not rotated, and M and N leave out the "
                 "number by which a norm divides each token's latent.";
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
static void
open_layers(const Options *o, const Checkpoint *c, const Published *m)
{
    Sheet sheet = sheet_of(table_columns, "open", o->columns);
    Checkpoint second_copy = checkpoint_open(c->directory);
    Figure f = {0}; /* f.data stays NULL without --draw */
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
        add_layer(&sheet, o, &l, o->slim ? &slim : NULL, f.data);
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
}

/* For the layer that --layer chose: with --to, writes the layer as a run; with
   --head, draws M of that head. */
static void
open_one_layer(const Options *o, const Checkpoint *c, const Published *m)
{
    if (o->layer > m->layers)
        usage("--layer %d: the model has layers 1 to %d", o->layer, m->layers);
    int number = o->layer - 1, heads = m->each[number].heads;
    if (o->head > heads)
        usage("--head %d: layer %d has heads 1 to %d", o->head, o->layer,
              heads);
    Heads l = heads_of(c, m, number);
    if (o->to) {
        const char *run = layer_as_run(&l, o->to, o->out);
        if (!o->quiet)
            note("the run is %s/%s", o->out, run);
    }
    if (o->head)
        draw_M(o, &l);
}

int
command_open(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    bool float_is_enough = o.head || o.to || o.npy; /* no rank is computed */
    if (!float_is_enough && sizeof(real) == sizeof(float))
        return run_in_double(argc, argv);
    if (o.against)
        return open_against(argc, argv);
    if (o.kv_heads)
        return open_kv_heads(argc, argv);
    Checkpoint c = checkpoint_open(o.words[0]);
    Published m = published_read(within(o.words[0], "config.json"));
    if (o.head || o.to)
        open_one_layer(&o, &c, &m);
    else if (o.npy)
        factors_write(&c, &m, o.npy);
    else
        open_layers(&o, &c, &m);
    return 0;
}
