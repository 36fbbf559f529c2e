/* fold.c - is the embedding redundant? */
#include <stdlib.h>
#include <string.h>

#include "algebra/capture.h"
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

/* Writes a weight, times a factor, to `to`; returns the place after it. */
static double *
copy_weight(double *to, const Weight *w, double factor)
{
    int size = w->rows * w->cols;
    for (int i = 0; i < size; i++)
        to[i] = factor * (double)w->value[i];
    return to + size;
}

/* The table T (width x d_model) with x = onehot T: one-hot tokens and positions
   pick its rows. */
static double *
table_of(const Model *m, const Model *onehot)
{
    double factor = 1 / onehot_size(onehot);
    double *table = allocate((size_t)onehot->attention.d_model *
                                 (size_t)m->attention.d_model,
                             sizeof *table);
    double *to = copy_weight(table, weight_named(m, "embedding"), factor);
    if (m->config.positions != POSITIONS_LEARNED)
        return table;
    to = copy_weight(to, weight_named(m, "positions"), factor);
    if (m->sizes.source)
        copy_weight(to, weight_named(m, "source_positions"), factor);
    return table;
}

/* half = [A M; b] for [M; b], the matrix of a head with its last row b: A is
   (n x d), M (d x d). */
static void
multiply_left(double *half, const double *a, const double *matrix, int n, int d)
{
    product_of(half, a, matrix, n, d, d, false);
    memcpy(half + n * d, matrix + d * d, (size_t)d * sizeof *half);
}

/* Makes `last` pick the first columns, one for each class. */
static void
set_identity(Weight *last)
{
    memset(last->value, 0, entries_of(last) * sizeof *last->value);
    for (int i = 0; i < last->cols; i++)
        last->value[i * (last->cols + 1)] = 1;
}

/* With the table T and the unembedding U, M becomes T M T' and N becomes T N U,
   of which only the first columns are used. A head's matrix has a last row, its
   bias, which T does not multiply: so there are n + 1 rows. */
void
fold_form(Canonical *c, const Model *m, Model *onehot)
{
    int d = c->d_model, n = onehot->attention.d_model;
    int classes = m->sizes.classes;
    double *t = table_of(m, onehot);
    double *u = allocate((size_t)d * classes, sizeof *u);
    double *half = allocate((size_t)(n + 1) * (d + classes), sizeof *half);
    double *folded = half + (n + 1) * d;
    Canonical f = *c;
    f.d_model = n;
    canonical_allocate(&f, c->heads);
    copy_weight(u, weight_named(m, "unembedding"), 1);
    for (int h = 0; h < c->heads; h++) {
        f.sink[h] = c->sink[h];
        /* half = T M, then T M T' */
        multiply_left(half, t, c->m + h * c->size, n, d);
        product_of(f.m + h * f.size, half, t, n + 1, d, n, true);
        /* half = T N, then T N U */
        multiply_left(half, t, c->n + h * c->size, n, d);
        product_of(folded, half, u, n + 1, d, classes, false);
        /* it has a column for each class; f.n has n, and the rest stay 0 */
        for (int row = 0; row <= n; row++)
            memcpy(f.n + h * f.size + row * n, folded + row * classes,
                   (size_t)classes * sizeof *folded);
    }
    product_of(f.constant, c->constant, u, 1, d, classes, false);
    c->bias = NULL; /* it is f's now */
    canonical_free(c);
    *c = f;
    set_identity(weight_named(onehot, "unembedding"));
    free(half);
    free(t);
    free(u);
}
