/* fold.c - is the embedding redundant? */
#include <stdlib.h>
#include <string.h>

#include "algebra/fold.h"
#include "config/two_sequences.h"
#include "heart/fail.h"

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
    Config onehot = *c;
    onehot.embed = EMBED_ONEHOT;
    if (m->sizes.classes > attention_in(&onehot, m->sizes).d_model)
        return "it has more answers than one-hot tokens are wide, and the "
               "unembedding becomes part of their columns";
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

/* What is around c: the tables T before it, U behind it, and memory. */
typedef struct Around {
    int d, n, classes; /* the widths of tokens, of one-hot ones, of U */
    double *t, *u, *half, *out;
} Around;

/* Head h of c behind T, and before U: T M T', T N U. */
static void
fold_head(Canonical *f, const Canonical *c, int h, const Around *a)
{
    int d = a->d, n = a->n;
    size_t size = (size_t)n * (size_t)n;
    f->scale[h] = c->scale[h];
    for (int k = 0; c->bias && k < BIAS_SIZE; k++)
        f->bias[h * BIAS_SIZE + k] = bias_entry(c, h, k);
    product_of(a->half, a->t, c->m + h * d * d, n, d, d, false);
    product_of(f->m + (size_t)h * size, a->half, a->t, n, d, n, true);
    product_of(a->half, a->t, c->n + h * d * d, n, d, d, false);
    product_of(a->out, a->half, a->u, n, d, a->classes, false);
    for (int i = 0; i < n * a->classes; i++)
        f->n[(size_t)h * size + (size_t)i / a->classes * n +
             (size_t)i % a->classes] = a->out[i];
}

Canonical
folded_form(const Model *m, const Canonical *c, Model *onehot)
{
    int d = c->d_model, n = onehot->attention.d_model;
    int classes = m->sizes.classes;
    Canonical f = {
        .d_model = n, .rotated = c->rotated, .deviation = c->deviation};
    Weight *last = weight_named(onehot, "unembedding");
    Around a = {.d = d, .n = n, .classes = classes, .t = table_of(m, onehot)};
    a.half = allocate((size_t)n * (d + classes), sizeof *a.half);
    a.out = a.half + n * d;
    a.u = allocate((size_t)d * classes, sizeof *a.u);
    stack(a.u, weight_named(m, "unembedding"), 1);
    canonical_allocate(&f, c->heads);
    if (c->bias)
        f.bias = allocate((size_t)c->heads * BIAS_SIZE, sizeof *f.bias);
    for (int h = 0; h < c->heads; h++)
        fold_head(&f, c, h, &a);
    memset(last->value, 0, (size_t)n * classes * sizeof(real));
    for (int i = 0; i < classes; i++)
        last->value[i * (classes + 1)] = 1;
    free(a.t);
    free(a.half);
    free(a.u);
    return f;
}
