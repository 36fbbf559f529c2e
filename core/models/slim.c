/* slim.c - takes the gauge out of the heads of a published model.

   A pair of maps is a left map, W^Q or W^O transposed, and a shared map, W^K or
   W^V, of which each group of heads has one. Both pairs are treated in the same
   way. left A^-T and shared A have the same product for every invertible A.
   Here A is the inverse of a block, n rows of the n columns of the shared map,
   so that the block becomes the identity. A rotation multiplies a pair of
   columns, taken as one complex number, by e^it. Only complex numbers commute
   with it, so there A is the inverse of one complex number in one row. */
#include <math.h>
#include <stdlib.h>

#include "algebra/canonical.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "models/slim.h"

/* A block with a larger condition number is refused, because its inverse in
   float would keep only half of the digits. */
static const double worst_condition = 1e4;

/* Columns of a shared map that are multiplied by one A: a rotated pair, or all
   the other columns of a group of heads. */
typedef struct Piece {
    int map;          /* KEY or VALUE */
    int from, n;      /* columns from .. from + n - 1 of the map */
    bool rotated;     /* true if they are a rotated pair */
    int *rows;        /* which n rows of the map are the block */
    double *block;    /* the block (n x n) */
    double condition; /* its condition number; infinite without an inverse */
} Piece;

/* Chooses n rows of the map by row_basis, each the farthest from the span of
   the rows before it, and copies their entries into the block. Of a rotated
   pair only the first of them is used: it is a complex number x + iy, whose
   matrix [x y; -y x] is the block. */
static void
find_block(Piece *p, const Heads *l)
{
    int n = p->n;
    double *columns = map_columns(l, p->map, p->from, n);
    double *unused_basis = allocate(matrix_entries(n, n), sizeof *columns);
    p->block = allocate(matrix_entries(n, n), sizeof *p->block);
    p->rows = allocate((size_t)n, sizeof *p->rows);
    row_basis(columns, l->maps[p->map].rows, n, unused_basis, p->rows);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            p->block[i * n + j] = entry_of(l, p->map, p->rows[i], p->from + j);
    if (p->rotated) {
        double x = p->block[0], y = p->block[1], *second_row = p->block + n;
        second_row[0] = -y;
        second_row[1] = x;
    }
    Svd s = svd_of(p->block, n, n);
    p->condition = s.s[n - 1] > 0 ? s.s[0] / s.s[n - 1] : INFINITY;
    free(s.u); /* frees all of s */
    free(unused_basis);
    free(columns);
}

/* Multiplies columns from .. from + n - 1 of a map of l, with their biases, by
   the transpose of `factor` (n x n), and writes the product into the same
   columns of `to`. */
static void
write_times(const Heads *l, const Heads *to, int map, int from, int n,
            const double *factor)
{
    int rows = l->maps[map].rows + 1; /* the last is the bias */
    double *w = map_columns(l, map, from, n);
    double *product = allocate(matrix_entries(rows, n), sizeof *product);
    product_with_transposed(product, w, factor, rows, n, n);
    set_columns(to, map, from, n, product);
    free(product);
    free(w);
}

/* Multiplies the piece of the shared map by A, the inverse of its block, and
   the same columns of the left map, in each head that shares the piece, by
   A^-T, the transposed block. */
static void
write_piece(const Piece *p, const Heads *l, const Heads *to)
{
    int n = p->n, width = l->maps[p->map].width;
    int left = p->map == KEY ? QUERY : OUTPUT;
    int group = p->from / width, in_head = p->from % width;
    int rows_of_block = p->rotated ? 1 : n, bias_row = l->maps[p->map].rows;
    double *transposed = allocate(matrix_entries(n, n), sizeof *transposed);
    pseudo_inverse(p->block, n, n, transposed); /* A' */
    write_times(l, to, p->map, p->from, n, transposed);
    /* The block is now the identity up to rounding, and becomes it exactly. */
    for (int i = 0; i < rows_of_block; i++)
        for (int j = 0; j < n; j++)
            set_entry(to, p->map, p->rows[i], p->from + j, i == j);
    if (!bias_counts(l, p->map, p->from))
        for (int i = 0; i < n; i++)
            set_entry(to, p->map, bias_row, p->from + i, 0);
    for (int head = 0; head < l->model->heads; head++)
        if (group_of(l, p->map, head) == group)
            write_times(l, to, left, head * width + in_head, n, p->block);
    free(transposed);
}

/* Exits unless all tensors of a layer are F32, the only type that --slim
   writes. */
static void
check_types(const Heads *l)
{
    for (int map = QUERY; map < MAPS; map++) {
        const Tensor *tensors[] = {l->maps[map].weight, l->maps[map].bias};
        for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
            if (tensors[i] && tensors[i]->type != F32)
                fail("%.200s: only F32 can be written; convert the model with "
                     "model.float().save_pretrained(DIR)",
                     tensors[i]->name);
    }
}

/* W is a map that reads a latent of n entries after its gains. W becomes
   turn diag(gain) W, and the gains become 1. W is stored transposed: each row
   of the tensor is a column of W, and begins at `start`. */
static void
turn_reader(Tensor *w, Tensor *gain, const double *turn, int n)
{
    double *column = allocate((size_t)n, sizeof *column); /* of diag(gain) W */
    size_t length = (size_t)n, size = (size_t)w->shape[0] * length;
    for (size_t start = 0; start < size; start += length) {
        for (size_t i = 0; i < length; i++)
            column[i] = tensor_entry(w, start + i) * tensor_entry(gain, i);
        for (size_t i = 0; i < length; i++) /* row i of turn times column */
            tensor_set(w, start + i, fast_dot(column, turn + i * length, n));
    }
    for (size_t i = 0; i < length; i++)
        tensor_set(gain, i, 1);
    free(column);
}

/* Takes the gauge out of a latent, norm(x D) with n columns, in place. An
   orthogonal A leaves norms unchanged: D becomes D A, and W, the map `reader`
   that reads the latent, becomes A' W. The columns of A are n rows of D, made
   orthonormal one after the other: rows[i] of D is a sum of multiples of
   columns 0 .. i of A. So these rows of D A are triangular. */
static void
slim_latent(const Heads *to, int latent, int reader)
{
    const Projection *p = &to->maps[latent];
    const int from = 0, n = p->width; /* all columns of D */
    double *down = all_columns(to, latent);
    double *turn = allocate(matrix_entries(n, n), sizeof *turn); /* A' */
    int *rows = allocate((size_t)n, sizeof *rows);
    row_basis(down, p->rows, n, turn, rows);
    write_times(to, to, latent, from, n, turn);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) /* 0 up to rounding; now exactly 0 */
            set_entry(to, latent, rows[i], j, 0);
    turn_reader(to->maps[reader].weight, p->gain, turn, n);
    free(rows);
    free(turn);
    free(down);
}

/* Takes the gauge out of the shared map `map` and its left map, piece by piece,
   and writes the result unless `to` is NULL. Returns the largest condition
   number of a block. */
static double
slim_map(const Heads *l, const Heads *to, int map)
{
    int width = l->maps[map].width, columns = l->maps[map].heads * width;
    double worst = 1;
    for (int from = 0, n; from < columns; from += n) {
        int in_head = from % width;
        bool rotated = in_head < rotated_width(l, map);
        n = rotated ? 2 : width - in_head; /* a pair, or all that are left */
        Piece piece = {.map = map, .from = from, .n = n, .rotated = rotated};
        find_block(&piece, l);
        worst = fmax(worst, piece.condition);
        if (to)
            write_piece(&piece, l, to);
        free(piece.rows);
        free(piece.block);
    }
    return worst;
}

/* Takes the gauge out of all maps of a layer, and writes the result unless `to`
   is NULL. If queries and keys are normed, W^Q and W^K are left as they are.
   With a latent, W^K and W^V are taken without the latent's map, and the
   rotated columns are one more pair of maps. Returns the largest condition
   number. */
static double
slim_maps(Heads l, const Heads *to)
{
    l.as_stored = true;
    double worst = slim_map(&l, to, VALUE);
    if (!scores_are_normed(l.model))
        worst = fmax(worst, slim_map(&l, to, KEY));
    if (reads_latent(&l, KEY)) {
        Heads rotated = rotated_heads(l);
        /* Without `to`, rotated_to is not used. */
        Heads rotated_to = rotated_heads(to ? *to : l);
        worst = fmax(worst, slim_map(&rotated, to ? &rotated_to : NULL, KEY));
    }
    return worst;
}

double
heads_slim(const Heads *l, const Heads *to)
{
    if (!to)
        return slim_maps(*l, NULL);
    check_types(to);
    Heads from = *l; /* the maps of `to` are made from its maps */
    if (reads_latent(l, KEY)) {
        slim_latent(to, LATENT, KEY);
        from = *to; /* in place: its latents are done, its other maps not yet */
    }
    if (reads_latent(l, QUERY))
        slim_latent(to, QUERY_LATENT, QUERY);
    double worst = slim_maps(from, to);
    if (worst > worst_condition)
        fail("%s: layer %d: --slim inverts a matrix of condition number %.1e, "
             "above its limit of %.0e; leave --slim out",
             l->model->name, l->number + 1, worst, worst_condition);
    write_constant(l, to);
    return worst;
}
