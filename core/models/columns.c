/* columns.c - the products of the columns of any two heads. */
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/matrix.h"
#include "models/columns.h"

/* Reads the columns of one head of a map into `columns`, one after the other. A
   bias that does not count is left 0. */
static void
read_head(real *columns, const Heads *l, int map, int head)
{
    int d = l->model->d_model, width = l->maps[map].width, length = d + 1;
    double *w = map_columns(l, map, head * width, width);
    for (int col = 0; col < width; col++)
        for (int row = 0; row < length; row++) {
            bool is_bias = row == d;
            if (!is_bias || bias_counts(l, map, head * width + col))
                columns[col * length + row] = (real)w[row * width + col];
        }
    free(w);
}

HeadColumns
columns_read(const Heads *const layers[], int count, int map)
{
    int length = layers[0]->model->d_model + 1;
    int width = layers[0]->maps[map].width;
    HeadColumns c = {.width = width, .length = length};
    c.rope = rotated_width(layers[0], map);
    for (int k = 0; k < count; k++)
        c.heads += layers[k]->maps[map].heads;
    c.entries = allocate(matrix_entries(c.heads * width, length), sizeof(real));
    c.product = allocate(matrix_entries(c.heads, c.heads), sizeof *c.product);
    real *columns = c.entries;
    for (int k = 0; k < count; k++)
        for (int head = 0; head < layers[k]->maps[map].heads; head++) {
            read_head(columns, layers[k], map, head);
            columns += width * length; /* the next head begins there */
        }
    return c;
}

/* Averages the product of two heads, whose first `rope` columns are rotated,
   over all angles of the rotation. The mean product of two columns of different
   pairs, or of a rotated and an unrotated one, is 0. A pair and the same pair
   of the other head have four products, a block of 2 x 2 on the diagonal; their
   mean has the form [a b; -b a]. */
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
        real a = (upper[0] + lower[1]) / 2, b = (upper[1] - lower[0]) / 2;
        upper[0] = lower[1] = a;
        upper[1] = b;
        lower[0] = -b;
    }
}

const real *
columns_product(HeadColumns *c, int one, int two)
{
    real **product = &c->product[one * c->heads + two];
    int n = c->width, length = c->length, size = n * length;
    if (!*product) {
        /* X' and Y': their rows are the columns of the heads. */
        Matrix x = matrix(c->entries + one * size, n, length, length);
        Matrix y = matrix(c->entries + two * size, n, length, length);
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
