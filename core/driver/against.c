/* against.c - qkv open --against: two checkpoints of one shape, compared head
   by head in what the heads compute, and beside it in what is stored. */
#include <math.h>
#include <stdlib.h>

#include "driver/against.h"
#include "models/likeness.h"
#include "page/table.h"

static const Column facts[] = {
    {.name = "layer"},
    {.name = "head"},
    {.name = "as"},
    {.name = "M", .format = "%.2g"},
    {.name = "N", .format = "%.2g"},
    {.name = "biases", .format = "%.2g"},
    {.name = "constant", .format = "%.2g"},
    {"W_Q", .title = "W^Q", .format = "%.2g"},
    {"W_K", .title = "W^K", .format = "%.2g"},
    {"W_V", .title = "W^V", .format = "%.2g"},
    {"W_O", .title = "W^O", .format = "%.2g"},
    {"rank_M", .title = "rank M", .format = "%.1f"},
    {"rank_M_there", .title = "there", .format = "%.1f"},
    {"rank_N", .title = "rank N", .format = "%.1f"},
    {"rank_N_there", .title = "there", .format = "%.1f"}};

/* What is found of a head, or of all heads of a layer together. */
enum { SHOWN = GAP_BIASES + 1, RANKS = 4 };
typedef struct Found {
    Gap gap[SHOWN], map[CONSTANT];
    double rank[RANKS]; /* of M, here and there, and of N */
} Found;

/* The place of the head's columns in a map: its own, or its group's. */
static int
place_in(const Heads *l, int map, int head)
{
    return head * l->of[map].heads / l->model->heads;
}

/* Compares head i of a layer with head j of the other one. Normed queries and
   keys leave nothing to be said of M. */
static Found
compare_heads(const Likeness *both, const Heads l[2], int i, int j)
{
    Found f = {0};
    for (int what = GAP_M; what <= GAP_BIASES; what++)
        f.gap[what] = head_gap(both, what, i, j);
    for (int map = QUERY; map <= OUTPUT; map++)
        f.map[map] = map_gap(&l[0], place_in(&l[0], map, i), &l[1],
                             place_in(&l[1], map, j), map);
    for (int k = 0; k < 2; k++) {
        int head = k ? j : i;
        f.rank[k] = energy_rank(&l[k], QUERY, KEY, head, NULL, NULL);
        f.rank[2 + k] = energy_rank(&l[k], OUTPUT, VALUE, head, NULL, NULL);
    }
    if (scores_are_normed(l[0].model)) {
        f.gap[GAP_M] = f.gap[GAP_BIASES] = (Gap){NAN, NAN};
        f.rank[0] = f.rank[1] = NAN;
    }
    return f;
}

static void
add_row(Sheet *sheet, int layer, int head, int as, const Found *f, Gap constant)
{
    Cell row[sizeof facts / sizeof *facts];
    int n = 0;
    row[n++] = cell_number(layer);
    row[n++] = cell_number(head ? head : NAN);
    row[n++] = cell_number(as ? as : NAN);
    for (int i = 0; i < SHOWN; i++)
        row[n++] = cell_number(gap_relative(f->gap[i]));
    row[n++] = cell_number(gap_relative(constant));
    for (int i = 0; i < CONSTANT; i++)
        row[n++] = cell_number(gap_relative(f->map[i]));
    for (int i = 0; i < RANKS; i++)
        row[n++] = cell_number(f->rank[i]);
    sheet_add_row(sheet, row);
}

/* Adds the row of a layer, or one for each of its heads; draws a point for each
   head unless `data` is NULL. */
static void
add_layer(Sheet *sheet, const Heads l[2], bool each, FILE *data)
{
    int heads = l->model->heads, layer = l->number + 1;
    int *as = allocate((size_t)heads, sizeof *as);
    Likeness *both = likeness_of(&l[0], &l[1]);
    Found all = {0};
    match_heads(both, as);
    for (int i = 0; i < heads; i++) {
        Found f = compare_heads(both, l, i, as[i]);
        if (each)
            add_row(sheet, layer, i + 1, as[i] + 1, &f, (Gap){NAN, NAN});
        if (data)
            fprintf(data, "%d\t%d\t%d\t%.4g\t%.4g\n", layer, i + 1, as[i] + 1,
                    gap_relative(f.gap[GAP_M]), gap_relative(f.gap[GAP_N]));
        for (int k = 0; k < SHOWN; k++)
            gap_add(&all.gap[k], f.gap[k]);
        for (int k = 0; k < CONSTANT; k++)
            gap_add(&all.map[k], f.map[k]);
        for (int k = 0; k < RANKS; k++)
            all.rank[k] += f.rank[k] / heads;
    }
    if (!each)
        add_row(sheet, layer, 0, 0, &all, constant_gap(&l[0], &l[1]));
    likeness_free(both);
    free(as);
}

/* In words what the numbers mean, and what is not known. To be freed. */
static char *
meaning(const Published *m, const Options *o)
{
    return format_text(
        "How far %s is from %s, relative to the latter: 0: the same; 1.41: as "
        "far as two random ones of one size. Heads are matched, those that are "
        "most alike first; `as`: the head there.%s M, N, biases and constant "
        "(b^O, with what value biases add) say what is computed; W^Q to W^O "
        "are as they are stored, and differ by gauge, too. rank: as without "
        "--against.%s%s%s",
        o->against, o->rest[0],
        m->groups < m->heads ? " Those that share keys stay together." : "",
        m->rope ? " Keys are rotated: M is compared in the mean over all "
                  "distances between query and key, its rank is that of "
                  "distance 0."
                : "",
        scores_are_normed(m)
            ? " Queries and keys are normed: there is no M, and "
              "how far scores are apart is not known."
            : "",
        published_has(m, "sinks") ? " Sinks are not compared." : "");
}

int
open_against(const Options *o, const Checkpoint *c, const Published *m)
{
    Sheet sheet = {facts, .cols = sizeof facts / sizeof *facts,
                   .label = "against", .chosen = o->columns};
    Figure f = {0};
    check_columns(&sheet);
    Checkpoint other = checkpoint_open(o->against);
    Published there = published_read(within(o->against, "config.json"), NULL);
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
        Heads l[2] = {heads_of(c, m, layer), heads_of(&other, &there, layer)};
        heads_take_norm(&l[0], c);
        heads_take_norm(&l[1], &other);
        add_layer(&sheet, l, o->heads, f.data);
        show_layers(o, layer + 1, m->layers);
    }
    if (o->spectra)
        figure_end(&f, "against.gp", "M and N of every head");
    sheet.note = meaning(m, o);
    sheet_print(&sheet, layout_of(o));
    return 0;
}
