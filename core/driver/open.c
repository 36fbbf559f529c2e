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
#include "models/accounts.h"
#include "models/as_run.h"
#include "models/heads.h"
#include "page/draw.h"
#include "page/table.h"

/* Above this condition a part of a map is not inverted: float would keep half
   of its digits. */
static const double worst_condition = 1e4;

static const Column facts[] = {{.name = "layer"},
                               {.name = "head"},
                               {"stored", .format = "%.0f"},
                               {"real", .format = "%.0f"},
                               {"rank_M", .title = "rank M", .words = true},
                               {"rank_N", .title = "rank N", .words = true},
                               {"symmetric", .title = "sym.", .words = true},
                               {"b_Q", .title = "|b^Q|", .format = "%.3g"},
                               {"b_K", .title = "|b^K|", .format = "%.3g"},
                               {"pivot", .format = "%.1f"},
                               {"error", .format = "%.1e"}};
enum { COLUMNS = sizeof facts / sizeof *facts };

/* The least and the most of the heads of a layer, and all that were seen. */
typedef struct Extent {
    double least, most;
} Extent;
static void
extend(Extent *e, double x)
{
    e->least = fmin(e->least, x);
    e->most = fmax(e->most, x);
}

/* "25-32", or one number. To be freed. */
static char *
range(Extent e, int digits)
{
    return e.least == e.most
               ? format_text("%.*f", digits, e.least)
               : format_text("%.*f-%.*f", digits, e.least, digits, e.most);
}

static const Column of_spectra[] = {{.name = "layer"},
                                    {.name = "head"},
                                    {"map", .words = true},
                                    {.name = "which"},
                                    {"size", .format = "%.4g"}};

/* Adds the singular values of a head. */
static void
add_spectra(Sheet *s, const Published *m, int layer, int head,
            const double *squares)
{
    for (int i = 0; i < m->d_k + m->d_v; i++) {
        int first = i < m->d_k ? 0 : m->d_k;
        sheet_row(s, cell_number(layer + 1), cell_number(head + 1),
                  cell_words(first ? "N" : "M"), cell_number(i - first + 1),
                  cell_number(sqrt(squares[i] / squares[first])));
    }
}

/* The spectra of all heads in one figure. */
static void
draw_spectra(const Options *o, const Sheet *s, const Published *m)
{
    Figure f = figure_begin(&o->draw, "spectra", "",
                            "The singular values of every head");
    sheet_write(f.data, s, TSV);
    figure_word(
        &f, "shape",
        format_text("%d %d %d %d", m->layers, m->heads, m->d_k, m->d_v));
    figure_end(&f, "spectra.gp", "");
}

static const Extent nothing = {INFINITY, -INFINITY};

/* Slims a layer in memory, and returns the condition; and, if the checkpoint is
   to have it, also there: then *error is the largest difference of what its
   attention makes of random tokens, relative. */
static double
slim(Heads *l, const Checkpoint *c, const Options *o, double *error)
{
    real *before = o->slim ? heads_output(l) : NULL;
    double condition = heads_slim(l), apart = 0, largest = 0;
    if (!o->slim)
        return condition;
    if (condition > worst_condition)
        fail("%s: layer %d: a part of its maps that would become the identity "
             "has condition %.1e, above %.0e: it is not slimmed, as its digits "
             "would be lost",
             c->directory, l->number + 1, condition, worst_condition);
    heads_store(l);
    Heads stored = heads_read(c, l->model, l->number);
    real *after = heads_output(&stored);
    for (int i = 0; i < RANDOM_TOKENS * l->model->d_model; i++) {
        apart = fmax(apart, fabs((double)after[i] - (double)before[i]));
        largest = fmax(largest, fabs((double)before[i]));
    }
    *error = apart / largest;
    heads_free(&stored);
    free(before);
    free(after);
    return condition;
}

/* Adds the row of a layer, or one for each of its heads. */
static void
add_layer(Sheet *sheet, const Options *o, const Checkpoint *c,
          const Published *m, int layer, Sheet *spectra)
{
    Heads l = heads_read(c, m, layer);
    Extent rank_m = nothing, rank_n = nothing, symmetric = nothing;
    double stored = stored_parameters(m) / m->layers, error = NAN;
    double real = stored - gauge_parameters(m) / m->layers;
    double b_q = bias_norm(&l, QUERY), b_k = bias_norm(&l, KEY);
    for (int head = 0; head < m->heads; head++) {
        HeadFacts f = head_facts(&l, head);
        extend(&rank_m, f.rank_m);
        extend(&rank_n, f.rank_n);
        extend(&symmetric, f.symmetric);
        if (o->spectra)
            add_spectra(spectra, m, layer, head, f.spectra);
        free(f.spectra);
        if (!o->heads && head < m->heads - 1)
            continue;
        char *text[] = {range(rank_m, 0), range(rank_n, 0),
                        range(symmetric, 2)};
        double pivot = NAN;
        if (head == m->heads - 1)
            pivot = slim(&l, c, o, &error);
        sheet_row(sheet, cell_number(layer + 1),
                  cell_number(o->heads ? head + 1 : NAN), cell_number(stored),
                  cell_number(real), cell_words(text[0]), cell_words(text[1]),
                  cell_words(text[2]), cell_number(b_q), cell_number(b_k),
                  cell_number(pivot), cell_number(error));
        for (int i = 0; i < 3; i++)
            free(text[i]);
        rank_m = rank_n = symmetric = nothing;
    }
    heads_free(&l);
}

/* In words what is not there. To be freed. */
static char *
absent(const Published *m)
{
    double stored = stored_parameters(m), gauge = gauge_parameters(m);
    bool cancelled = m->bias[KEY] && !m->rope;
    return format_text(
        "%.0f of the %.0f parameters of attention (%.2f%%) are not there: they "
        "are gauge, and can be chosen freely.%s rank: singular values that "
        "have 99%% of the squares, of %d for M and %d for N; sym.: share of M "
        "that equals its transpose, 0.5 if random; pivot: the worst condition "
        "of the parts that become identities.",
        gauge, stored, 100 * gauge / stored,
        cancelled ? " A key bias adds the same to all scores of a row, and the "
                    "softmax cancels it: compare its norm, |b^K|, with that of "
                    "the query bias, which is used."
                  : "",
        m->d_k, m->d_v);
}

/* --to: writes a layer as a run of that variant. */
static int
to_run(const Options *o, const Checkpoint *c, const Published *m)
{
    if (o->layer > m->layers)
        usage("--layer: there are layers 1 to %d", m->layers);
    Heads l = heads_read(c, m, o->layer - 1);
    char *name = layer_as_run(&l, o->to, o->out);
    if (!o->quiet)
        note("the run is %s/%s: layer %d between random vectors for tokens%s",
             o->out, name, o->layer,
             m->rope ? ", its rotations of base 10,000" : "");
    heads_free(&l);
    free(name);
    return 0;
}

int
command_open(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Path config = within(o.rest[0], "config.json");
    Published m = published_read(config.text);
    Checkpoint c = checkpoint_open(o.rest[0]);
    if (o.to)
        return to_run(&o, &c, &m);
    Sheet sheet = sheet_of(facts, COLUMNS), spectra = sheet_of(of_spectra, 5);
    for (int layer = 0; layer < m.layers; layer++) {
        if (isatty(STDERR_FILENO) && !o.quiet)
            fprintf(stderr, "\rlayer %d of %d\033[K", layer + 1, m.layers);
        add_layer(&sheet, &o, &c, &m, layer, &spectra);
    }
    if (isatty(STDERR_FILENO) && !o.quiet)
        fprintf(stderr, "\r\033[K");
    if (o.slim)
        checkpoint_write(&c, o.slim);
    if (o.spectra)
        draw_spectra(&o, &spectra, &m);
    sheet_note(&sheet, "open", absent(&m));
    sheet_print(&sheet, layout_of(&o));
    sheet_free(&spectra);
    checkpoint_close(&c);
    return 0;
}
