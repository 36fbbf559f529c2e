/* against.c - qkv open HERE --against THERE: compares two checkpoints of one
   shape head by head: the products M and N, and the stored matrices.

   The second checkpoint, `there`, may have its heads in another order, so each
   head of the first one, `here`, gets a partner first (match_heads). */
#include <math.h>
#include <stdlib.h>

#include "driver/options.h"
#include "models/facts.h"
#include "models/likeness.h"
#include "page/table.h"

/* clang-format off */
static const Column table_columns[] = {
    {.name = "layer"}, {.name = "head"}, {.name = "as"},
    {.name = "M", .format = "%.2g"}, {.name = "N", .format = "%.2g"}, {.name = "constant", .format = "%.2g"},
    {"W_Q", .title = "W^Q", .format = "%.2g"}, {"W_K", .title = "W^K", .format = "%.2g"}, {"W_V", .title = "W^V", .format = "%.2g"}, {"W_O", .title = "W^O", .format = "%.2g"},
    {"rank_M", .title = "rank M", .format = "%.1f"}, {"rank_M_there", .title = "there", .format = "%.1f"},
    {"rank_N", .title = "rank N", .format = "%.1f"}, {"rank_N_there", .title = "there", .format = "%.1f"},
};
/* clang-format on */

/* The numbers of a row: gaps (likeness.h) between a head and its partner, and
   the ranks of both. The row of a layer has the sums of its heads' gaps and the
   means of their ranks. */
typedef struct Row {
    Gap M, N;
    Gap constant; /* between the rows that the two layers add to every token;
                     unknown_gap in the row of a head */
    Gap stored[OUTPUT + 1]; /* of each map, QUERY to OUTPUT */
    double rank_M, rank_M_there, rank_N, rank_N_there;
} Row;
static const Gap unknown_gap = {NAN, NAN}; /* NaN, so it is shown as unknown */

/* The rank of the product of two maps of a head (facts_of): of M from QUERY and
   KEY; of N', and so of N, from OUTPUT and VALUE. */
static int
rank_of(const Heads *l, int left_map, int shared_map, int head)
{
    Facts f = facts_of(l, left_map, shared_map, head);
    free(f.singular);
    return f.rank;
}

/* Compares a head of the first layer with its partner in the second one. If
   queries and keys are normed, there is no M: its gap and its ranks are NaN. */
static Row
compare_heads(Likeness *both, int head, int partner)
{
    const Heads *here = both->layers[0], *there = both->layers[1];
    Row row = {.M = head_gap(both, GAP_M, head, partner),
               .N = head_gap(both, GAP_N, head, partner),
               .constant = unknown_gap,
               .rank_M = rank_of(here, QUERY, KEY, head),
               .rank_M_there = rank_of(there, QUERY, KEY, partner),
               .rank_N = rank_of(here, OUTPUT, VALUE, head),
               .rank_N_there = rank_of(there, OUTPUT, VALUE, partner)};
    for (int map = QUERY; map <= OUTPUT; map++)
        row.stored[map] = map_gap(here, group_of(here, map, head), there,
                                  group_of(there, map, partner), map);
    if (scores_are_normed(here->model)) {
        row.M = unknown_gap;
        row.rank_M = row.rank_M_there = NAN;
    }
    return row;
}

/* Adds a head's gaps to the sums of its layer, which has `heads` heads, and its
   ranks to the means. */
static void
add_to_layer(Row *layer, const Row *head, int heads)
{
    gap_add(&layer->M, head->M);
    gap_add(&layer->N, head->N);
    for (int map = QUERY; map <= OUTPUT; map++)
        gap_add(&layer->stored[map], head->stored[map]);
    layer->rank_M += head->rank_M / heads;
    layer->rank_M_there += head->rank_M_there / heads;
    layer->rank_N += head->rank_N / heads;
    layer->rank_N_there += head->rank_N_there / heads;
}

static Cell
gap_cell(Gap g)
{
    return cell(gap_relative(g));
}

/* Adds a row. Its first three cells are numbers, counted from 1: of a layer, a
   head and its partner. In a layer's row `head` and `partner` are NAN. */
static void
add_row(Sheet *sheet, double layer, double head, double partner, const Row *row)
{
    const Gap *stored = row->stored;
    sheet_row(sheet, cell(layer), cell(head), cell(partner), gap_cell(row->M),
              gap_cell(row->N), gap_cell(row->constant),
              gap_cell(stored[QUERY]), gap_cell(stored[KEY]),
              gap_cell(stored[VALUE]), gap_cell(stored[OUTPUT]),
              cell(row->rank_M), cell(row->rank_M_there), cell(row->rank_N),
              cell(row->rank_N_there));
}

/* Writes a line of a figure's data: how far M and N of a head are from its
   partner's. Layers and heads are counted from 1. */
static void
write_distances(FILE *data, int layer, int head, int partner, const Row *row)
{
    enum { DIGITS = 4 };
    fprintf(data, "%d\t%d\t%d\t%s\t%s\n", layer, head, partner,
            number_text(gap_relative(row->M), DIGITS),
            number_text(gap_relative(row->N), DIGITS));
}

/* Compares two layers, and adds one row or, if `each_head`, a row for each
   head. If `data`, the file of a figure's data, is not NULL, also writes a line
   for each head into it. */
static void
add_layer(Sheet *sheet, const Heads *here, const Heads *there, bool each_head,
          FILE *data)
{
    int heads = here->model->heads, layer = here->number + 1;
    int *partner = allocate((size_t)heads, sizeof *partner);
    Likeness both = likeness_of(here, there);
    Row of_layer = {0};
    match_heads(&both, partner);
    for (int i = 0; i < heads; i++) {
        Row row = compare_heads(&both, i, partner[i]);
        if (each_head)
            add_row(sheet, layer, i + 1, partner[i] + 1, &row);
        if (data)
            write_distances(data, layer, i + 1, partner[i] + 1, &row);
        add_to_layer(&of_layer, &row, heads);
    }
    of_layer.constant = constant_gap(here, there);
    if (!each_head)
        add_row(sheet, layer, NAN, NAN, &of_layer);
    likeness_free(&both);
    free(partner);
}

/* The note below the table: what its numbers mean, and which parts of the
   models are not compared. */
static char *
meaning(const Published *m, const Options *o)
{
    char *text;
    FILE *to = begin_text(&text);
    fprintf(to,
            "How far %s is from %s, relative to the latter. 0: the same; up to "
            "1e-07: the same except for rounding; 1.41: as far apart as random "
            "matrices of one size; NA, or no such column: the latter has "
            "nothing there, or only zeros. Heads are matched, the most similar "
            "first; `as`: the head there.",
            o->against, o->words[0]);
    if (m->groups < m->heads)
        fputs(" Heads that share keys stay together.", to);
    fputs(" M and N (with the biases that are part of a head) and the constant "
          "(b^O, and what other biases add to the output) are the function "
          "that attention computes. W^Q to W^O are compared as stored, so they "
          "differ by gauge, too.",
          to);
    if (m->rotated_layers)
        fputs(" Keys are rotated: M is compared in the mean over all distances "
              "between query and key; its rank is that at distance 0.",
              to);
    if (scores_are_normed(m))
        fputs(
            " Queries and keys are normed: there is no M, so nothing is known "
            "of their scores.",
            to);
    if (published_has(m, "sinks"))
        fputs(" Sinks are not compared.", to);
    if (published_has(m, "output-normed"))
        fputs(" The output of attention is normed: the gains of that norm are "
              "not compared. The norm also cancels a common factor of N in all "
              "heads of a layer, which counts as a distance here.",
              to);
    end_text(to, &text);
    return text;
}

/* Exits unless the two models have the same shape, and heads that can be
   compared. */
static void
check_comparable(const Options *o, const Published *m, const Published *there)
{
    const char *differ = published_difference(m, there); /* or NULL */
    if (published_has(m, "latent"))
        fail("%s: a %s makes queries and keys from latents; --against cannot "
             "compare such models",
             m->name, m->type);
    if (differ)
        fail("%s and %s: they differ in %s; give models of the same shape",
             o->words[0], o->against, differ);
}

/* Prints how far apart the two checkpoints are; with --draw, also draws the
   distances of all heads. */
int
open_against(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Checkpoint c = checkpoint_open(o.words[0]);
    Published m = published_read(within(o.words[0], "config.json"));
    Sheet sheet = sheet_of(table_columns, "against", o.columns);
    Figure f = {0}; /* f.data stays NULL without --draw */
    Checkpoint other = checkpoint_open(o.against);
    Published there = published_read(within(o.against, "config.json"));
    check_comparable(&o, &m, &there);
    if (o.draw_heads) {
        f = figure_begin(
            &o.draw, "against",
            format_text("How far %s is from %s", o.against, o.words[0]));
        fprintf(f.data, "layer\thead\tas\tM\tN\n");
    }
    for (int layer = 0; layer < m.layers; layer++) {
        Heads a = heads_of(&c, &m, layer), b = heads_of(&other, &there, layer);
        heads_read_norm(&a, &c); /* now M and N include the norm's gain */
        heads_read_norm(&b, &other);
        add_layer(&sheet, &a, &b, o.heads, f.data);
        show_layers(&o, layer + 1, m.layers);
    }
    if (o.draw_heads) {
        f.drawn = "M and N of every head";
        figure_end(&f, "against.gp");
    }
    sheet.note = meaning(&m, &o);
    sheet_print(&sheet, layout_of(&o));
    return 0;
}
