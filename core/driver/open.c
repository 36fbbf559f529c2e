/* open.c - qkv open: what the attention of a published checkpoint is, layer by
   layer, and the same checkpoint without what is gauge. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/words.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "models/as_run.h"
#include "models/slim.h"
#include "page/draw.h"
#include "page/table.h"

/* Above this condition a part of a map is not inverted: float would keep half
   of its digits. */
static const double worst_condition = 1e4;

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

/* Writes the slimmed layer into the checkpoint, in memory. Returns the largest
   difference of what its attention makes of random tokens, relative. */
static double
store(Heads *l, const Checkpoint *c, const double *before, double condition)
{
    double apart = 0, largest = 0;
    if (!(condition <= worst_condition))
        fail("%s: layer %d: a part of its maps that would become the identity "
             "has condition %.1e, above %.0e: it is not slimmed, as its digits "
             "would be lost",
             c->directory, l->number + 1, condition, worst_condition);
    heads_store(l);
    Heads stored = heads_read(c, l->model, l->number);
    double *after = heads_output(&stored);
    for (int i = 0; i < RANDOM_TOKENS * l->model->d_model; i++) {
        apart = fmax(apart, fabs(after[i] - before[i]));
        largest = fmax(largest, fabs(before[i]));
    }
    heads_free(&stored);
    free(after);
    return apart / largest;
}

/* Adds the singular values of a head to the figure's data. */
static void
put_spectra(FILE *data, const Heads *l, int head, const double *values)
{
    int k = l->model->d_k;
    for (int i = 0; i < k + l->model->d_v; i++)
        fprintf(data, "%d\t%d\t%s\t%d\t%.4g\n", l->number + 1, head + 1,
                i < k ? "M" : "N", i < k ? i + 1 : i - k + 1,
                values[i] / values[i < k ? 0 : k]);
}

/* Draws M of a head of a layer, entry by entry. */
static void
draw_map(const Options *o, const Heads *l)
{
    int d = l->model->d_model;
    const double *m = head_product(l, QUERY, KEY, o->head - 1);
    char *what =
        format_text("M = W^Q W^K' of layer %d, head %d", o->layer, o->head);
    Figure f = figure_begin(&o->draw, "form", "", what);
    fprintf(f.data, "row\tcolumn\tentry\n");
    for (int i = 0; i < d * d; i++)
        fprintf(f.data, "%d\t%d\t%.4g\n", i / d + 1, i % d + 1, m[i]);
    figure_end(&f, "form.gp", "");
}

/* Adds the row of a layer, with the means of its heads, or one for each. */
static void
add_layer(Sheet *sheet, const Options *o, const Checkpoint *c,
          const Published *m, int layer, FILE *spectra)
{
    Heads l = heads_read(c, m, layer);
    Account all = published_account(m, 1);
    double *values = allocate((size_t)(m->d_k + m->d_v), sizeof *values);
    double(*of)[FACTS] = allocate((size_t)m->heads + 1, sizeof *of);
    for (int head = 0; head < m->heads; head++) {
        head_facts(&l, head, of[head], values);
        for (int i = 0; i < FACTS; i++)
            of[m->heads][i] += of[head][i] / m->heads;
        if (spectra)
            put_spectra(spectra, &l, head, values);
    }
    double b_q = bias_norm(&l, QUERY), b_k = bias_norm(&l, KEY);
    double *before = o->slim ? heads_output(&l) : NULL;
    double pivot = heads_slim(&l);
    double error = o->slim ? store(&l, c, before, pivot) : NAN;
    for (int i = o->heads ? 0 : m->heads; i < m->heads + !o->heads; i++)
        sheet_row(sheet, cell_number(layer + 1),
                  cell_number(o->heads ? i + 1 : NAN),
                  cell_number(all.stored / m->layers),
                  cell_number((all.stored - all.gauge) / m->layers),
                  cell_number(of[i][RANK_M]), cell_number(of[i][RANK_N]),
                  cell_number(of[i][SYMMETRIC]), cell_number(b_q),
                  cell_number(b_k), cell_number(pivot), cell_number(error));
    free(before);
    free(of);
    free(values);
    heads_free(&l);
}

/* In words what is not there. To be freed. */
static char *
absent(const Published *m)
{
    Account all = published_account(m, 1);
    return format_text(
        "%.0f of the %.0f parameters of attention (%.2f%%) are not there: they "
        "are gauge, and can be chosen freely.%s rank: singular values that "
        "have 99%% of the values, of %d for M and %d for N; sym.: share of M "
        "that equals its transpose, 0.5 if random; both of a layer: the mean "
        "of its heads; pivot: the worst condition of the parts that become "
        "identities.",
        all.gauge, all.stored, 100 * all.gauge / all.stored,
        m->rope ? ""
                : " A key bias, |b^K|, does nothing: it adds the same to "
                  "all scores of a row, and the softmax cancels it.",
        m->d_k, m->d_v);
}

int
command_open(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    bool shows = isatty(STDERR_FILENO) && !o.quiet;
    Published m = published_read(within(o.rest[0], "config.json").text);
    Checkpoint c = checkpoint_open(o.rest[0]);
    Sheet sheet = {facts, .cols = sizeof facts / sizeof *facts,
                   .label = "open"};
    Figure f = {0};
    if (o.layer > m.layers)
        usage("--layer: there are layers 1 to %d", m.layers);
    if (o.head > m.heads)
        usage("--head: there are heads 1 to %d", m.heads);
    if (o.head) {
        Heads l = heads_read(&c, &m, o.layer - 1);
        draw_map(&o, &l);
        return 0;
    }
    if (o.to) {
        Heads l = heads_read(&c, &m, o.layer - 1);
        char *name = layer_as_run(&l, o.to, o.out);
        if (!o.quiet)
            note("the run is %s/%s", o.out, name);
        return 0;
    }
    if (o.spectra) {
        f = figure_begin(&o.draw, "spectra", "",
                         "The singular values of every head");
        fprintf(f.data, "layer\thead\tmap\twhich\tsize\n");
    }
    for (int layer = 0; layer < m.layers; layer++) {
        if (shows)
            fprintf(stderr, "\rlayer %d of %d\033[K", layer + 1, m.layers);
        add_layer(&sheet, &o, &c, &m, layer, f.data);
    }
    if (shows)
        fprintf(stderr, "\r\033[K");
    if (o.slim)
        checkpoint_write(&c, o.slim);
    if (o.spectra) {
        figure_word(
            &f, "shape",
            format_text("%d %d %d %d", m.layers, m.heads, m.d_k, m.d_v));
        figure_end(&f, "spectra.gp", "");
    }
    sheet.note = absent(&m);
    sheet_print(&sheet, layout_of(&o));
    return 0;
}
