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
    bool single_attention = m->places == 1; /* a place is one attention */
    if (!single_attention || c->norm != NORM_NONE || c->mlp)
        return "only a single attention may read it, and neither LayerNorm nor "
               "an MLP; train with 1 layer, norm none and mlp 0";
    return NULL;
}

/* Writes the entries of a weight, times a factor, to `to`; returns where the
   next ones go. */
static double *
copy_scaled(double *to, const Weight *w, double factor)
{
    int size = w->rows * w->cols;
    for (int i = 0; i < size; i++)
        to[i] = factor * (double)w->value[i];
    return to + size;
}

/* The table T with x = onehot T, a row for each entry of a token of `onehot`:
   the embeddings of the tokens and, if they are learned, of the positions below
   them. A token of `onehot` has the entry onehot_size instead of a 1, so T is
   divided by it. The caller frees T. */
static double *
embedding_table(const Model *m, const Model *onehot)
{
    double factor = 1 / onehot_size(onehot);
    double *table = allocate((size_t)onehot->attention.d_model *
                                 (size_t)m->attention.d_model,
                             sizeof *table);
    double *to = copy_scaled(table, weight_named(m, "embedding"), factor);
    if (m->config.positions != POSITIONS_LEARNED)
        return table;
    to = copy_scaled(to, weight_named(m, "positions"), factor);
    if (m->sizes.source)
        copy_scaled(to, weight_named(m, "source_positions"), factor);
    return table;
}

/* Multiplies the matrix [M; b] of a head by T from the left, except for its
   last row b, which is a bias: product = [T M; b], for T (n x d) and M (d x d).
 */
static void
multiply_above_bias(double *product, const double *t, const double *matrix,
                    int n, int d)
{
    const double *bias = matrix + d * d;
    product_of(product, t, matrix, n, d, d);
    memcpy(product + n * d, bias, (size_t)d * sizeof *product);
}

/* Sets an unembedding to the first columns of the identity, so that the logits
   are the first entries of a token. */
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
    const double unscaled = 1;
    const int one_row = 1;
    int d = c->d_model, n = onehot->attention.d_model, rows = n + 1;
    int classes = m->sizes.classes;
    double *table = embedding_table(m, onehot);
    double *unembedding = allocate((size_t)d * classes, sizeof *unembedding);
    double *half = allocate((size_t)rows * d, sizeof *half); /* T M, or T N */
    double *tnu = allocate((size_t)rows * classes, sizeof *tnu); /* T N U */
    Canonical folded = *c; /* it takes over the bias by position */
    folded.d_model = n;
    canonical_allocate(&folded, c->heads);
    copy_scaled(unembedding, weight_named(m, "unembedding"), unscaled);
    for (int h = 0; h < c->heads; h++) {
        double *folded_m = folded.m + h * folded.size;
        double *folded_n = folded.n + h * folded.size;
        folded.sink[h] = c->sink[h];
        multiply_above_bias(half, table, c->m + h * c->size, n, d);
        product_with_transposed(folded_m, half, table, rows, d, n);
        multiply_above_bias(half, table, c->n + h * c->size, n, d);
        product_of(tnu, half, unembedding, rows, d, classes);
        for (int row = 0; row < rows; row++) /* the columns after it stay 0 */
            memcpy(folded_n + row * n, tnu + row * classes,
                   (size_t)classes * sizeof *tnu);
    }
    product_of(folded.constant, c->constant, unembedding, one_row, d, classes);
    c->bias = NULL; /* now `folded` owns this array, so c must not free it */
    canonical_free(c);
    *c = folded;
    pick_classes(weight_named(onehot, "unembedding"));
    free(half);
    free(tnu);
    free(table);
    free(unembedding);
}
