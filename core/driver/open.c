/* open.c - qkv open: what the attention of a published checkpoint is, layer by
   layer, and the same checkpoint without what is gauge. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "algebra/svd.h"
#include "base/files.h"
#include "base/words.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "models/as_run.h"
#include "models/slim.h"
#include "page/draw.h"
#include "page/table.h"
#include "run/plugin_process.h"

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

/* Takes the gauge out of a layer of the checkpoint, in memory. Returns the
   condition of what was inverted; *error is what the attention of the layer has
   changed by. */
static double
slim_layer(const Heads *l, const Checkpoint *c, double *error)
{
    Heads slim = heads_read(c, l->model, l->number);
    double condition = heads_slim(&slim);
    if (error && !(condition <= worst_condition))
        fail("%s: layer %d: a part of its maps that would become the identity "
             "has condition %.1e, above %.0e: it is not slimmed, as its digits "
             "would be lost",
             c->directory, l->number + 1, condition, worst_condition);
    if (error) {
        heads_store(&slim);
        Heads stored = heads_read(c, l->model, l->number);
        *error = heads_apart(l, &stored);
        free(stored.constant);
    }
    free(slim.constant);
    return condition;
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
    enum { RANK_M, RANK_N, SYMMETRIC, FACTS };
    Heads l = heads_read(c, m, layer);
    Account all = published_account(m, 1);
    double *values = allocate((size_t)(m->d_k + m->d_v), sizeof *values);
    double mean[FACTS] = {0}, error = NAN;
    double pivot = slim_layer(&l, c, o->slim ? &error : NULL);
    for (int head = 0; head < m->heads; head++) {
        double *form = head_product(&l, QUERY, KEY, head);
        double fact[] = {energy_rank(&l, QUERY, KEY, head, values),
                         energy_rank(&l, OUTPUT, VALUE, head, values + m->d_k),
                         symmetric_share(form, m->d_model)};
        const double *shown = o->heads ? fact : mean;
        for (int i = 0; i < FACTS; i++)
            mean[i] += fact[i] / m->heads;
        if (spectra)
            put_spectra(spectra, &l, head, values);
        if (o->heads || head == m->heads - 1)
            sheet_row(sheet, cell_number(layer + 1),
                      cell_number(o->heads ? head + 1 : NAN),
                      cell_number(all.stored / m->layers),
                      cell_number((all.stored - all.gauge) / m->layers),
                      cell_number(shown[RANK_M]), cell_number(shown[RANK_N]),
                      cell_number(shown[SYMMETRIC]),
                      cell_number(bias_norm(&l, QUERY)),
                      cell_number(bias_norm(&l, KEY)), cell_number(pivot),
                      cell_number(error));
        free(form);
    }
    free(values);
    free(l.constant);
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
    Published m = published_read(within(o.rest[0], "config.json"), NULL);
    Checkpoint c = checkpoint_open(o.rest[0]);
    Sheet sheet = {facts, .cols = sizeof facts / sizeof *facts,
                   .label = "open"};
    Figure f = {0};
    if (o.layer > m.layers || o.head > m.heads)
        usage("--layer, --head: there are layers 1 to %d, and heads 1 to %d",
              m.layers, m.heads);
    if (o.head || o.to) {
        Heads l = heads_read(&c, &m, o.layer - 1);
        const char *run = o.to ? layer_as_run(&l, o.to, o.out) : NULL;
        if (run && !o.quiet)
            note("the run is %s/%s", o.out, run);
        if (o.head)
            draw_map(&o, &l);
        return 0;
    }
    if (sizeof(real) == 4)
        return run_in_double(argc, argv);
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
