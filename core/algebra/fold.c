/* fold.c - is the embedding redundant? It is if it can be multiplied into the
   attention that reads it. */
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

/* Writes the entries of a weight, times a factor, to `to`; returns where the
   next ones go. */
static double *
copy_weight(double *to, const Weight *w, double factor)
{
    int size = w->rows * w->cols;
    for (int i = 0; i < size; i++)
        to[i] = factor * (double)w->value[i];
    return to + size;
}

/* The table T with x = onehot T, a row for each entry of a token of `onehot`:
   the embeddings of the tokens and, if they are learned, of the positions below
   them. A token of `onehot` has onehot_size where others have 1. */
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

/* half = [A M; b] for [M; b], the matrix of a head, whose last row b is a bias:
   A is (n x d), M (d x d). */
static void
multiply_left(double *half, const double *a, const double *matrix, int n, int d)
{
    product_of(half, a, matrix, n, d, d);
    memcpy(half + n * d, matrix + d * d, (size_t)d * sizeof *half);
}

/* Sets an unembedding to the first columns of the identity, one for each class.
 */
static void
pick_classes(Weight *unembedding)
{
    int classes = unembedding->cols;
    real *value = unembedding->value;
    memset(value, 0, entries_of(unembedding) * sizeof *value);
    for (int i = 0; i < classes; i++)
        value[i * classes + i] = 1;
}

/* With the table T (n x d) and the unembedding U (d x classes), M becomes T M
   T', and N becomes T N U with columns of 0 up to n columns. T does not
   multiply the last row of M and N, the bias, so both have n + 1 rows. */
void
fold_form(Canonical *c, const Model *m, Model *onehot)
{
    int d = c->d_model, n = onehot->attention.d_model;
    int classes = m->sizes.classes;
    double *t = table_of(m, onehot);
    double *u = allocate((size_t)d * classes, sizeof *u);
    double *half = allocate((size_t)(n + 1) * (d + classes), sizeof *half);
    double *folded = half + (n + 1) * d;
    Canonical f = *c; /* f takes over the bias by position */
    f.d_model = n;
    canonical_allocate(&f, c->heads);
    copy_weight(u, weight_named(m, "unembedding"), 1);
    for (int h = 0; h < c->heads; h++) {
        f.sink[h] = c->sink[h];
        /* half = T M, then T M T' */
        multiply_left(half, t, c->m + h * c->size, n, d);
        product_with_transposed(f.m + h * f.size, half, t, n + 1, d, n);
        /* half = T N, then T N U */
        multiply_left(half, t, c->n + h * c->size, n, d);
        product_of(folded, half, u, n + 1, d, classes);
        /* a row of T N U is the beginning of a row of f.n */
        for (int row = 0; row <= n; row++)
            memcpy(f.n + h * f.size + row * n, folded + row * classes,
                   (size_t)classes * sizeof *folded);
    }
    product_of(f.constant, c->constant, u, 1, d, classes);
    c->bias = NULL; /* now f owns this array, so c must not free it */
    canonical_free(c);
    *c = f;
    pick_classes(weight_named(onehot, "unembedding"));
    free(half);
    free(t);
    free(u);
}
