/* slim.c - takes the gauge out of the heads of a published model.

   The two pairs of maps are treated in the same way. Each has a left map, W^Q
   or W^O transposed, and a shared map, W^K or W^V, of which each group of heads
   has one. left A^-T and shared A have the same product for every invertible A.
   Here A is the inverse of a block, some rows of the shared map, so that the
   block becomes the identity. A rotation multiplies a pair of columns, taken as
   one complex number, by e^it. Only complex numbers commute with it, so there A
   is the inverse of one complex number in one row. */
#include <math.h>
#include <stdlib.h>

#include "algebra/canonical.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "models/slim.h"

/* Above this condition a block is not inverted: float would keep only half of
   its digits. */
static const double worst_condition = 1e4;

/* Columns of a shared map that are multiplied by one A: a rotated pair, or all
   the other columns of a group of heads. */
typedef struct Piece {
    int map;     /* KEY or VALUE */
    int from, n; /* columns from .. from + n - 1 of the map */
    bool rotated;
    int *rows;        /* the n rows that are the block */
    double *block;    /* its entries (n x n) */
    double *factor;   /* A', the transposed inverse of the block (n x n) */
    double condition; /* of the block; infinite if it has no inverse */
} Piece;

/* Finds the rows of the block, each the farthest from the span of the rows
   before it, and its entries. A rotated pair has a block of one row, the
   complex number x + iy, as the matrix [x y; -y x]. */
static void
find_block(Piece *p, const Heads *l)
{
    int n = p->n;
    double *columns = map_columns(l, p->map, p->from, n);
    p->block = allocate(2 * matrix_entries(n, n), sizeof *p->block);
    p->factor = p->block + n * n;
    p->rows = allocate((size_t)n, sizeof *p->rows);
    row_basis(columns, l->maps[p->map].rows, n, p->block, p->rows);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            p->block[i * n + j] = entry_of(l, p->map, p->rows[i], p->from + j);
    if (p->rotated) {
        p->block[2] = -p->block[1]; /* the second row: -y x */
        p->block[3] = p->block[0];
    }
    Svd s = svd_of(p->block, n, n);
    p->condition = s.s[n - 1] > 0 ? s.s[0] / s.s[n - 1] : INFINITY;
    free(s.u);
    free(columns);
}

/* Writes columns from .. from + n - 1 of a map of l, times a' (n x n), into the
   same columns of `to`, biases included. */
static void
write_times(const Heads *l, const Heads *to, int map, int from, const double *a,
            int n)
{
    int rows = l->maps[map].rows + 1; /* the last is the bias */
    double *w = map_columns(l, map, from, n), entry;
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < n; col++) {
            product_with_transposed(&entry, w + row * n, a + col * n, 1, n, 1);
            set_entry(to, map, row, from + col, entry);
        }
    free(w);
}

/* Multiplies the piece of the shared map by A, and the same columns of the
   heads that share it by A^-T: those of W^Q if the piece is of W^K, those of
   W^O if it is of W^V. The block's rows are then set to those of the
   identity exactly; of a rotated pair there is only one. Biases that have no
   effect become 0. */
static void
write_piece(Piece *p, const Heads *l, const Heads *to)
{
    int n = p->n, width = l->maps[p->map].width;
    int sharing = l->model->heads / l->maps[KEY].heads; /* heads of a group */
    int other = p->map == KEY ? QUERY : OUTPUT;
    int group = p->from / width, in_head = p->from % width;
    int rows_to_set = p->rotated ? 1 : n;
    pseudo_inverse(p->block, n, n, p->factor);
    write_times(l, to, p->map, p->from, p->factor, n);
    for (int i = 0; i < rows_to_set; i++)
        for (int j = 0; j < n; j++)
            set_entry(to, p->map, p->rows[i], p->from + j, i == j);
    if (!bias_counts(l, p->map, p->from))
        for (int i = 0; i < n; i++)
            set_entry(to, p->map, l->maps[p->map].rows, p->from + i, 0);
    for (int head = group * sharing; head < (group + 1) * sharing; head++)
        write_times(l, to, other, head * width + in_head, p->block, n);
}

/* Exits unless all tensors of a layer are F32, the only type that --slim
   writes. */
static void
check_types(const Heads *l)
{
    for (int map = QUERY; map < MAPS; map++) {
        const Tensor *tensors[] = {l->maps[map].weight, l->maps[map].bias};
        for (int i = 0; i < 2; i++)
            if (tensors[i] && tensors[i]->type != F32)
                fail("%.200s: only F32 can be written; convert it with "
                     "model.float().save_pretrained(DIR)",
                     tensors[i]->name);
    }
}

/* W reads a latent of n entries, after its gains: W becomes turn diag(gain) W,
   and the gains become 1. The checkpoint stores W transposed, so that each row
   of the tensor is a column of W. */
static void
turn_reader(Tensor *w, Tensor *gain, const double *turn, int n)
{
    double *column = allocate((size_t)n, sizeof *column);
    size_t length = (size_t)n, size = (size_t)w->shape[0] * length;
    for (size_t start = 0; start < size; start += length) {
        for (size_t i = 0; i < length; i++)
            column[i] = tensor_entry(w, start + i) * tensor_entry(gain, i);
        for (size_t i = 0; i < length; i++)
            tensor_set(w, start + i, fast_dot(column, turn + i * length, n));
    }
    for (size_t i = 0; i < length; i++)
        tensor_set(gain, i, 1);
    free(column);
}

/* The gauge of a latent, norm(x D) of n columns, is O(n), which leaves norms
   unchanged: D becomes D A, and W, which reads it, A' W. The columns of A are n
   rows of D, made orthonormal one after the other, so that these rows of D A
   are triangular. In place. */
static void
slim_latent(const Heads *to, int latent, int reader)
{
    const Projection *p = &to->maps[latent];
    int n = p->width;
    double *down = map_columns(to, latent, 0, n);
    double *turn = allocate(matrix_entries(n, n), sizeof *turn); /* A' */
    int *rows = allocate((size_t)n, sizeof *rows);
    row_basis(down, p->rows, n, turn, rows);
    write_times(to, to, latent, 0, turn, n);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            set_entry(to, latent, rows[i], j, 0);
    turn_reader(to->maps[reader].weight, p->gain, turn, n);
    free(rows);
    free(turn);
    free(down);
}

/* Takes the gauge out of a shared map and its left map, piece by piece. If `to`
   is NULL, nothing is written. Returns the largest condition number of a
   block. */
static double
slim_map(const Heads *l, const Heads *to, int map)
{
    int width = l->maps[map].width, columns = l->maps[map].heads * width;
    double worst = 1;
    for (int from = 0, n; from < columns; from += n) {
        int own = from % width; /* the column within its head */
        bool rotated = map == KEY && own < l->rope;
        n = rotated ? 2 : width - own;
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

/* Takes the gauge out of all maps of a layer. Norms of q and k leave them no
   gauge. With a latent, W^K and W^V are read without the latent's map, and the
   rotated columns are one more pair of maps. */
static double
slim_maps(Heads l, const Heads *to)
{
    l.as_stored = true;
    double worst = slim_map(&l, to, VALUE);
    if (!scores_are_normed(l.model))
        worst = fmax(worst, slim_map(&l, to, KEY));
    if (latent_of(&l, KEY)) {
        Heads rotated = rotated_heads(l);
        Heads rotated_to = rotated_heads(to ? *to : l);
        worst = fmax(worst, slim_map(&rotated, to ? &rotated_to : NULL, KEY));
    }
    return worst;
}

/* Latents are treated first, in place; the other steps read the result in
   `to`. */
double
heads_slim(const Heads *l, const Heads *to)
{
    Heads from = *l;
    if (!to)
        return slim_maps(from, NULL);
    check_types(to);
    if (latent_of(l, KEY)) {
        from = *to;
        slim_latent(to, LATENT, KEY);
    }
    if (latent_of(l, QUERY))
        slim_latent(to, QUERY_LATENT, QUERY);
    double worst = slim_maps(from, to);
    if (!(worst <= worst_condition))
        fail("%s: layer %d: --slim inverts a matrix of condition number %.1e, "
             "above its limit of %.0e; leave it out",
             l->model->name, l->number + 1, worst, worst_condition);
    move_biases(l, to);
    return worst;
}
