/* fold.c - multiplies the embedding of a model into its attention. */
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

/* Writes the entries of a weight, times a factor, to `to`. Returns the address
   after the last entry. */
static double *
copy_scaled(double *to, const Weight *w, double factor)
{
    int size = w->rows * w->cols;
    for (int i = 0; i < size; i++)
        to[i] = factor * (double)w->value[i];
    return to + size;
}

/* The table T with x = onehot T, where x is a token of m. It has a row for each
   entry of a one-hot token: the embeddings of all tokens and, if positions are
   learned, below them those of the positions, first in the model's sequence,
   then in the source of its encoder, if it has one. A one-hot token has the
   entry onehot_entry instead of a 1, so T is divided by that. The caller frees
   T. */
static double *
embedding_table(const Model *m, const Model *onehot)
{
    double factor = 1 / onehot_entry(onehot);
    int rows = onehot->attention.d_model, cols = m->attention.d_model;
    double *table = allocate(matrix_entries(rows, cols), sizeof *table);
    double *to = copy_scaled(table, weight_named(m, "embedding"), factor);
    if (m->config.positions != POSITIONS_LEARNED)
        return table;
    to = copy_scaled(to, weight_named(m, "positions"), factor);
    if (m->sizes.source)
        copy_scaled(to, weight_named(m, "source_positions"), factor);
    return table;
}

/* product = [T M; b] for the matrix [M; b] of a head: multiplies it from the
   left by T, except its last row b, which is a bias. T is (n x d), M (d x d).
 */
static void
multiply_above_bias(double *product, const double *t, const double *matrix,
                    int n, int d)
{
    product_of(product, t, matrix, n, d, d);
    memcpy(product + n * d, matrix + d * d, (size_t)d * sizeof *product);
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

/* The unembedding of m, widened to n columns by columns of 0. The caller frees
   it. */
static double *
widened_unembedding(const Model *m, int n)
{
    const Weight *w = weight_named(m, "unembedding");
    double *wide = allocate(matrix_entries(w->rows, n), sizeof *wide);
    for (int i = 0; i < w->rows; i++)
        for (int j = 0; j < w->cols; j++)
            wide[i * n + j] = (double)w->value[i * w->cols + j];
    return wide;
}

/* With the table T (n x d) and the widened unembedding U (d x n), M becomes
   T M T', N becomes T N U, and the constant, a row, is multiplied by U. T does
   not multiply the last row of M and N, the bias, so both have n + 1 rows. */
void
fold_form(Canonical *c, const Model *m, Model *onehot)
{
    const int one_row = 1;
    int d = c->d_model, n = onehot->attention.d_model, rows = n + 1;
    double *t = embedding_table(m, onehot);
    double *u = widened_unembedding(m, n);
    double *tm = allocate(matrix_entries(rows, d), sizeof *tm); /* T M, T N */
    Canonical folded = *c;
    folded.d_model = n;
    canonical_allocate(&folded, c->heads);
    for (int h = 0; h < c->heads; h++) {
        double *folded_m = folded.m + h * folded.size;
        double *folded_n = folded.n + h * folded.size;
        folded.sink[h] = c->sink[h];
        multiply_above_bias(tm, t, c->m + h * c->size, n, d);
        product_with_transposed(folded_m, tm, t, rows, d, n);
        multiply_above_bias(tm, t, c->n + h * c->size, n, d);
        product_of(folded_n, tm, u, rows, d, n);
    }
    product_of(folded.constant, c->constant, u, one_row, d, n);
    c->bias = NULL; /* folded.bias is the same array, so it must stay */
    canonical_free(c);
    *c = folded;
    pick_classes(weight_named(onehot, "unembedding"));
    free(tm);
    free(t);
    free(u);
}
