/* fold.c - is the embedding redundant? */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/fold.h"

const char *
fold_refusal(const Model *m)
{
    const Config *c = &m->config;
    if (c->embed == EMBED_ONEHOT)
        return "its tokens are one-hot already";
    if (c->residual)
        return "a residual adds the embedding itself to what attention "
               "returns; train without one (residual no)";
    if (c->norm != NORM_NONE)
        return "LayerNorm is between the embedding and Q, K, V, and is not "
               "linear; train with norm none";
    if (m->places > 1)
        return "only the first attention reads the embedding, and it has more "
               "than one; train with 1 layer";
    if (c->mlp)
        return "the MLP reads vectors as wide as the embedding; train with "
               "mlp 0";
    if (c->positions == POSITIONS_SINUSOIDAL)
        return "its positions are sinusoids, and one-hot ones would be "
               "learned; train with positions learned or none";
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
            rows += stack(table + rows * d, model_weight(m, parts[i]),
                          1 / onehot_size(onehot));
    return table;
}

Canonical
folded_form(const Model *m, const Canonical *c, Model *onehot)
{
    int d = c->d_model, n = onehot->attention.d_model;
    int classes = m->sizes.classes, heads = c->heads;
    size_t size = (size_t)n * (size_t)n;
    Canonical f = {.heads = heads, .d_model = n, .deviation = c->deviation};
    Weight *last = model_weight(onehot, "unembedding");
    double *t = table_of(m, onehot),
           *half = allocate((size_t)(n * (d + classes)), sizeof *half);
    double *u = allocate((size_t)(d * classes), sizeof *u);
    stack(u, model_weight(m, "unembedding"), 1);
    f.m = allocate((size_t)heads * size, sizeof *f.m);
    f.n = allocate((size_t)heads * size, sizeof *f.n);
    f.scale = allocate((size_t)heads, sizeof *f.scale);
    for (int h = 0; h < heads; h++) {
        double *out = half + n * d;
        f.scale[h] = c->scale[h];
        product_of(half, t, c->m + h * d * d, n, d, d, false); /* T M */
        product_of(f.m + (size_t)h * size, half, t, n, d, n, true);
        product_of(half, t, c->n + h * d * d, n, d, d, false); /* T N */
        product_of(out, half, u, n, d, classes, false);
        for (int i = 0; i < n * classes; i++)
            f.n[(size_t)h * size + (size_t)(i / classes * n + i % classes)] =
                out[i];
    }
    memset(last->value, 0, (size_t)(n * classes) * sizeof(real));
    for (int i = 0; i < classes; i++)
        last->value[i * (classes + 1)] = 1;
    free(t);
    free(half);
    free(u);
    return f;
}
