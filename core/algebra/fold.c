/* fold.c - is the embedding redundant? */
#include <stdlib.h>
#include <string.h>

#include "algebra/fold.h"
#include "heart/fail.h"
#include "training/architectures.h"

const char *
fold_refusal(const Model *m)
{
    const Config *c = &m->config;
    if (c->embed == EMBED_ONEHOT)
        return "its tokens are one-hot already";
    if (c->residual)
        return "a residual adds the embedding itself to what attention "
               "returns; train without one (residual no)";
    if (c->norm != NORM_NONE || m->places > 1 || c->mlp)
        return "only a single attention may read it, and neither LayerNorm nor "
               "an MLP; train with 1 layer, norm none and mlp 0";
    return NULL;
}

/* Copies a weight, times a factor, to `to`; returns its rows. */
static int
stack(double *to, const Weight *w, double factor)
{
    for (int i = 0; i < w->rows * w->cols; i++)
        to[i] = factor * (double)w->value[i];
    return w->rows;
}

/* The table T whose rows one-hot tokens and positions pick, (width x d_model),
   so that x = onehot T. */
static double *
table_of(const Model *m, const Model *onehot)
{
    static const char *const parts[] = {"embedding", "positions",
                                        "source_positions"};
    int d = m->attention.d_model, rows = 0;
    double *table =
        allocate((size_t)onehot->attention.d_model * (size_t)d, sizeof *table);
    for (int i = 0; i < 3; i++)
        if (i == 0 || (m->config.positions == POSITIONS_LEARNED &&
                       (i == 1 || m->sizes.source)))
            rows += stack(table + rows * d, weight_named(m, parts[i]),
                          1 / onehot_size(onehot));
    return table;
}

/* to = [A M B'; b B'] for M = [matrix; b], (rows + 1) x cols of a `to` that is
   n wide; A (rows x d), and B (cols x d), or (d x cols) where not `flipped`. */
static void
surround(double *to, int n, const double *a, const double *matrix,
         const double *b, int d, int cols, bool flipped)
{
    double *half = allocate((size_t)(n + 1) * (d + cols), sizeof *half);
    double *out = half + (n + 1) * d;
    product_of(half, a, matrix, n, d, d, false);
    memcpy(half + n * d, matrix + d * d, (size_t)d * sizeof *half);
    product_of(out, half, b, n + 1, d, cols, flipped);
    for (int i = 0; i < (n + 1) * cols; i++)
        to[i / cols * n + i % cols] = out[i];
    free(half);
}

void
fold_form(Canonical *c, const Model *m, Model *onehot)
{
    int d = c->d_model, n = onehot->attention.d_model;
    int classes = m->sizes.classes;
    Weight *last = weight_named(onehot, "unembedding");
    double *t = table_of(m, onehot), *u;
    u = allocate((size_t)d * classes, sizeof *u);
    stack(u, weight_named(m, "unembedding"), 1);
    Canonical f = *c;
    f.d_model = n;
    canonical_allocate(&f, c->heads);
    for (int h = 0; h < c->heads; h++) {
        f.sink[h] = c->sink[h];
        surround(f.m + h * f.size, n, t, c->m + h * c->size, t, d, n, true);
        surround(f.n + h * f.size, n, t, c->n + h * c->size, u, d, classes,
                 false);
    }
    product_of(f.constant, c->constant, u, 1, d, classes, false);
    c->bias = NULL; /* it is f's now */
    canonical_free(c);
    *c = f;
    memset(last->value, 0, (size_t)n * classes * sizeof(real));
    for (int i = 0; i < classes; i++)
        last->value[i * (classes + 1)] = 1;
    free(t);
    free(u);
}
