/* columns.c - the products of the columns of heads with one another. */
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/matrix.h"
#include "models/columns.h"

/* A bias that does not count is left 0. */
HeadColumns
columns_read(const Heads *const layers[], int count, int map)
{
    int d = layers[0]->model->d_model, length = d + 1;
    int width = layers[0]->maps[map].width, size = width * length;
    HeadColumns c = {.width = width, .length = length};
    c.rope = map <= KEY ? layers[0]->rope : 0;
    for (int k = 0; k < count; k++)
        c.heads += layers[k]->maps[map].heads;
    c.entries = allocate(matrix_entries(c.heads * width, length), sizeof(real));
    c.product = allocate(matrix_entries(c.heads, c.heads), sizeof *c.product);
    real *to = c.entries; /* the next head */
    for (int k = 0; k < count; k++)
        for (int head = 0; head < layers[k]->maps[map].heads; head++) {
            double *w = map_columns(layers[k], map, head * width, width);
            for (int i = 0; i < size; i++) {
                int col = i / length, row = i % length;
                if (row < d || bias_counts(layers[k], map, head * width + col))
                    to[i] = (real)w[row * width + col];
            }
            to += size;
            free(w);
        }
    return c;
}

/* Averages the product of two heads over all angles of the rotation. The
   product of two columns of different pairs, or of a rotated and an unrotated
   one, has the mean 0. The four products of a pair with the same pair of the
   other head get the form [a b; -b a]. */
static void
average_rotations(real *product, int width, int rope)
{
    for (int i = 0; i < width; i++)
        for (int j = 0; j < width; j++) {
            bool rotated = i < rope || j < rope, same_pair = i / 2 == j / 2;
            if (rotated && !same_pair)
                product[i * width + j] = 0;
        }
    for (int i = 0; i < rope; i += 2) {
        real *upper = product + i * width + i, *lower = upper + width;
        upper[0] = lower[1] = (upper[0] + lower[1]) / 2;
        upper[1] = (upper[1] - lower[0]) / 2;
        lower[0] = -upper[1];
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
