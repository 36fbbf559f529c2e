/* against.c - qkv open --against: compares two checkpoints of one shape head by
   head: the functions M and N that the heads compute, and the stored matrices.
 */
#include <math.h>
#include <stdlib.h>

#include "base/tsv.h"
#include "driver/against.h"
#include "models/facts.h"
#include "models/likeness.h"
#include "page/table.h"

static const Column facts[] = {
    {.name = "layer"},
    {.name = "head"},
    {.name = "as"},
    {.name = "M", .format = "%.2g"},
    {.name = "N", .format = "%.2g"},
    {.name = "constant", .format = "%.2g"},
    {"W_Q", .title = "W^Q", .format = "%.2g"},
    {"W_K", .title = "W^K", .format = "%.2g"},
    {"W_V", .title = "W^V", .format = "%.2g"},
    {"W_O", .title = "W^O", .format = "%.2g"},
    {"rank_M", .title = "rank M", .format = "%.1f"},
    {"rank_M_there", .title = "there", .format = "%.1f"},
    {"rank_N", .title = "rank N", .format = "%.1f"},
    {"rank_N_there", .title = "there", .format = "%.1f"}};

/* The numbers of a row, in the order of the columns. Of a head, they are the
   gaps of M, of N, of the constant and of each map, and four ranks. Of a layer,
   they are the sums of its heads' gaps and the means of their ranks. */
enum { CONSTANT_GAP = 2, MAP_GAPS, GAPS = MAP_GAPS + CONSTANT };
enum { NAMES = 3, RANKS = 4, COLUMNS = NAMES + GAPS + RANKS };
_Static_assert(COLUMNS == sizeof facts / sizeof *facts,
               "a row has a cell for each column");
typedef struct Found {
    Gap gap[GAPS];
    double rank[RANKS];
} Found;

static int
rank_of_head(const Heads *l, int left, int shared, int head)
{
    Facts f = facts_of(l, left, shared, head);
    free(f.singular);
    return f.rank;
}

/* Compares head i of a layer with head j of the other layer. If queries and
   keys are normed, there is no M, and nothing is known of it. */
static Found
compare_heads(Likeness *both, int i, int j)
{
    Found f = {.gap[CONSTANT_GAP] = {NAN, NAN}};
    const Heads *a = both->of[0], *b = both->of[1];
    for (int what = GAP_M; what <= GAP_N; what++)
        f.gap[what] = head_gap(both, what, i, j);
    for (int map = QUERY; map <= OUTPUT; map++) {
        int heads_per_group = a->model->heads / a->of[map].heads; /* in both */
        f.gap[MAP_GAPS + map] =
            map_gap(a, i / heads_per_group, b, j / heads_per_group, map);
    }
    /* the ranks of M here and there, then of N here and there */
    f.rank[0] = rank_of_head(a, QUERY, KEY, i);
    f.rank[1] = rank_of_head(b, QUERY, KEY, j);
    f.rank[2] = rank_of_head(a, OUTPUT, VALUE, i);
    f.rank[3] = rank_of_head(b, OUTPUT, VALUE, j);
    if (scores_are_normed(a->model)) {
        f.gap[GAP_M].apart = NAN;
        f.rank[0] = f.rank[1] = NAN;
    }
    return f;
}

/* Adds a row; `layer`, `head` and `partner` are its first three columns. */
static void
add_row(Sheet *sheet, double layer, double head, double partner, const Found *f)
{
    Cell row[COLUMNS] = {cell_number(layer), cell_number(head),
                         cell_number(partner)};
    for (int i = 0; i < GAPS; i++)
        row[NAMES + i] = cell_number(gap_relative(f->gap[i]));
    for (int i = 0; i < RANKS; i++)
        row[NAMES + GAPS + i] = cell_number(f->rank[i]);
    sheet_add_row(sheet, row);
}

/* Adds the row of a layer; if `each`, a row for each of its heads instead.
   Writes a point for each head into a figure's data, unless `data` is NULL. */
static void
add_layer(Sheet *sheet, const Heads *a, const Heads *b, bool each, FILE *data)
{
    int heads = a->model->heads, layer = a->number + 1;
    int *partner = allocate((size_t)heads, sizeof *partner);
    Likeness both = likeness_of(a, b);
    Found all = {0};
    match_heads(&both, partner);
    for (int i = 0; i < heads; i++) {
        Found f = compare_heads(&both, i, partner[i]);
        if (each)
            add_row(sheet, layer, i + 1, partner[i] + 1, &f);
        if (data)
            fprintf(data, "%d\t%d\t%d\t%s\t%s\n", layer, i + 1, partner[i] + 1,
                    number_text(gap_relative(f.gap[GAP_M]), 4),
                    number_text(gap_relative(f.gap[GAP_N]), 4));
        for (int k = 0; k < GAPS; k++)
            gap_add(&all.gap[k], f.gap[k]);
        for (int k = 0; k < RANKS; k++)
            all.rank[k] += f.rank[k] / heads;
    }
    all.gap[CONSTANT_GAP] = constant_gap(a, b); /* heads have none */
    if (!each)
        add_row(sheet, layer, NAN, NAN, &all);
    likeness_free(&both);
    free(partner);
}

/* The note below the table: what its numbers mean, and what is not compared. */
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
            o->against, o->rest[0]);
    if (m->groups < m->heads)
        fputs(" Heads that share keys stay together.", to);
    fputs(" M and N (with those biases that are part of a head) and the "
          "constant (b^O, and the other biases' share of the output) are what "
          "attention computes. W^Q to W^O are compared as stored, so they "
          "differ by gauge, too.",
          to);
    if (published_rotates(m))
        fputs(" Keys are rotated: M is compared in the mean over all distances "
              "between query and key, however long; its rank is that at "
              "distance 0.",
              to);
    if (scores_are_normed(m))
        fputs(" Queries and keys are normed: there is no M, and how far scores "
              "are apart is not known.",
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

/* Compares the two checkpoints layer by layer. */
int
open_against(const Options *o, const Checkpoint *c, const Published *m)
{
    Sheet sheet = {facts, .cols = sizeof facts / sizeof *facts,
                   .label = "against", .chosen = o->columns};
    Figure f = {0};
    check_columns(&sheet);
    if (published_has(m, "latent"))
        fail("%s: a %s makes queries and keys from latents, through a norm, "
             "and such models cannot be compared yet",
             m->name, m->type);
    Checkpoint other = checkpoint_open(o->against);
    Published there =
        published_read(within(o->against, "config.json"), NULL, NULL);
    const char *differ = published_difference(m, &there);
    if (differ)
        fail("%s and %s: only models of one shape can be compared head by "
             "head, and these differ in %s",
             o->rest[0], o->against, differ);
    if (o->spectra) {
        f = figure_begin(
            &o->draw, "against", "",
            format_text("How far %s is from %s", o->against, o->rest[0]));
        fprintf(f.data, "layer\thead\tas\tM\tN\n");
    }
    for (int layer = 0; layer < m->layers; layer++) {
        Heads a = heads_of(c, m, layer), b = heads_of(&other, &there, layer);
        heads_take_norm(&a, c);
        heads_take_norm(&b, &other);
        add_layer(&sheet, &a, &b, o->heads, f.data);
        show_layers(o, layer + 1, m->layers);
    }
    if (o->spectra)
        figure_end(&f, "against.gp", "M and N of every head");
    sheet.note = meaning(m, o);
    sheet_print(&sheet, layout_of(o));
    return 0;
}
