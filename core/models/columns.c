/* columns.c - the products of the columns of heads with one another. */
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/matrix.h"
#include "models/columns.h"

/* Entry d of a column is its bias, left 0 if that does not count. */
HeadColumns
columns_read(const Heads *const layers[], int count, int map)
{
    const Published *p = layers[0]->model;
    int d = p->d_model, width = layers[0]->of[map].width, heads = 0, first = 0;
    for (int k = 0; k < count; k++)
        heads += layers[k]->of[map].heads;
    HeadColumns c = {.heads = heads, .width = width, .length = d + 1};
    if (map <= KEY)
        c.rope = p->rope;
    c.entries = allocate(matrix_entries(heads * width, d + 1), sizeof(real));
    c.product = allocate(matrix_entries(heads, heads), sizeof *c.product);
    for (int k = 0; k < count; k++) {
        int cols = layers[k]->of[map].heads * width;
        for (int from = 0; from < cols; from += width) {
            double *w = map_columns(layers[k], map, from, width);
            for (int at = 0; at < (d + 1) * width; at++) {
                int col = at / (d + 1), row = at % (d + 1);
                if (row < d || bias_counts(layers[k], map, from + col))
                    c.entries[first * (d + 1) + at] =
                        (real)w[row * width + col];
            }
            first += width;
            free(w);
        }
    }
    return c;
}

/* Averages products of rotated columns over all angles. Two columns of
   different pairs, or a rotated and an unrotated one, have the mean 0. The four
   products of two pairs get the form (a b; -b a). */
static void
average_rotations(real *product, int width, int rope)
{
    for (int at = 0; at < width * width; at++) {
        real *entry = product + at, *below = entry + width;
        int i = at / width, j = at % width;
        if (i >= rope && j >= rope)
            continue;
        if (i >= rope || j >= rope || i / 2 != j / 2) {
            *entry = 0;
        } else if (i % 2 == 0 && j % 2 == 0) {
            entry[0] = below[1] = (entry[0] + below[1]) / 2;
            entry[1] = (entry[1] - below[0]) / 2;
            below[0] = -entry[1];
        }
    }
}

const real *
columns_product(HeadColumns *c, int one, int two)
{
    real **product = &c->product[one * c->heads + two];
    int n = c->width, size = n * c->length;
    if (!*product) {
        Matrix x = matrix(c->entries + one * size, n, c->length, c->length);
        Matrix y = matrix(c->entries + two * size, n, c->length, c->length);
        *product = allocate(matrix_entries(n, n), sizeof **product);
        multiply(matrix(*product, n, n, n), x, transposed(y));
        average_rotations(*product, n, c->rope);
    }
    return *product;
}

void
columns_free(HeadColumns *c)
{
    for (int i = 0; i < c->heads * c->heads; i++)
        free(c->product[i]);
    free(c->product);
    free(c->entries);
}
