/* slim.c - takes the gauge out of the heads of a published model.

   Both pairs of maps are treated alike: a left one, W^Q or W^O turned over, and
   the one that a group of heads shares, W^K or W^V. left_i A^-T and shared A
   have the same products for every invertible A; A is the inverse of some rows
   of `shared`, so that these become rows of the identity. A rotation is a
   factor e^it of a pair of columns as one complex number, so only such factors
   pass it: there A is the inverse of one complex number of a row. */
#include <math.h>
#include <stdlib.h>

#include "algebra/canonical.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "models/slim.h"

/* Above this condition a part of a map is not inverted: float would keep half
   of its digits. */
static const double worst_condition = 1e4;

/* Writes n columns of a map, from one on, times a' (n x n). */
static void
write_times(const Heads *l, const Heads *to, int map, int from, const double *a,
            int n)
{
    double *w = map_columns(l, map, from, n), entry;
    for (int i = 0; i < (l->of[map].rows + 1) * n; i++) {
        product_with_transposed(&entry, w + i / n * n, a + i % n * n, 1, n, 1);
        entry_of(to, map, i / n, from + i % n, &entry);
    }
    free(w);
}

/* Multiplies n columns of `shared`, from one on, by a matrix A that turns n of
   their rows into the identity (of a rotated pair, one row into 1), and the
   heads that share them by A^-T. The rows are chosen one by one, each the
   farthest from the span of the rows before it. Returns the condition of these
   rows. */
static double
slim_columns(const Heads *l, const Heads *to, int shared, int from, int n)
{
    const Published *p = l->model;
    int left = shared == KEY ? QUERY : OUTPUT, count = p->heads / p->groups;
    int width = l->of[shared].width, own = from % width, size = n * n;
    bool rotated = shared == KEY && own < p->rope;
    double *rest = map_columns(l, shared, from, n);
    double *part = allocate(2 * (size_t)size, sizeof *part);
    int *rows = allocate((size_t)n, sizeof *rows);
    row_basis(rest, l->of[shared].rows, n, part, rows);
    for (int i = 0; i < size; i++)
        part[i] = entry_of(l, shared, rows[i / n], from + i % n, NULL);
    if (rotated) { /* the complex number that part[0], part[1] is */
        part[2] = -part[1];
        part[3] = part[0];
    }
    Svd s = svd_of(part, n, n);
    double condition = s.s[n - 1] > 0 ? s.s[0] / s.s[n - 1] : INFINITY;
    if (to) {
        pseudo_inverse(part, n, n, part + size);
        write_times(l, to, shared, from, part + size, n);
        for (int i = 0; i < (rotated ? n : size); i++)
            entry_of(to, shared, rows[i / n], from + i % n,
                     &(double){i / n == i % n});
        for (int i = 0; i < count; i++)
            write_times(l, to, left, (from / width * count + i) * width + own,
                        part, n);
    }
    free(s.u);
    free(rows);
    free(part);
    free(rest);
    return condition;
}

/* Exits unless the tensors of a layer have enough bits for what is written. */
static void
check_types(const Heads *l)
{
    for (int map = QUERY; map < MAPS; map++) {
        const Tensor *both[] = {l->of[map].weight, l->of[map].bias};
        for (int i = 0; i < 2; i++)
            if (both[i] && both[i]->type != F32)
                fail("%.200s: only F32 can be written, because fewer bits lose "
                     "digits: convert it with "
                     "model.float().save_pretrained(DIR)",
                     both[i]->name);
    }
}

/* W reads a latent, after its gains: W becomes turn diag(gain) W, and the gains
   become 1. The checkpoint stores W transposed, so that each row is a column of
   W. */
static void
turn_reader(Tensor *w, Tensor *gain, const double *turn, int n)
{
    double *row = allocate((size_t)n, sizeof *row);
    size_t wide = (size_t)n, size = (size_t)w->shape[0] * wide;
    for (size_t at = 0; at < size; at += wide) {
        for (size_t i = 0; i < wide; i++)
            row[i] = tensor_entry(w, at + i) * tensor_entry(gain, i);
        for (size_t i = 0; i < wide; i++)
            tensor_set(w, at + i, fast_dot(row, turn + i * wide, n));
    }
    for (size_t i = 0; i < wide; i++)
        tensor_set(gain, i, 1);
    free(row);
}

/* The gauge of a latent, norm(x D) of n columns, is O(n), which leaves norms as
   they are: D becomes D A, and W, which reads it, A' W. The columns of A are n
   rows of D, made orthonormal one after the other, so that these rows of D A
   are triangular. In place. */
static void
slim_latent(const Heads *to, int latent, int reader)
{
    const Projection *p = &to->of[latent];
    int n = p->width;
    double *rest = map_columns(to, latent, 0, n);
    double *turn = allocate(matrix_entries(n, n), sizeof *turn);
    int *rows = allocate((size_t)n, sizeof *rows);
    row_basis(rest, p->rows, n, turn, rows);
    write_times(to, to, latent, 0, turn, n);
    for (int at = 0; at < n * n; at++)
        if (at % n > at / n)
            entry_of(to, latent, rows[at / n], at % n, &(double){0});
    turn_reader(to->of[reader].weight, p->gain, turn, n);
    free(rows);
    free(turn);
    free(rest);
}

/* Takes the gauge out of a map that groups of heads share, and of the one to
   its left. A bias that does nothing becomes 0. */
static double
slim_map(const Heads *l, const Heads *to, int shared)
{
    const Published *p = l->model;
    int width = l->of[shared].width, rope = shared == KEY ? p->rope : 0;
    double worst = 1;
    for (int from = 0, n; from < p->groups * width; from += n) {
        bool rotated = from % width < rope;
        n = rotated ? 2 : width - from % width;
        worst = fmax(worst, slim_columns(l, to, shared, from, n));
        for (int i = 0; i < n; i++)
            if (to && !bias_counts(l, shared, from))
                entry_of(to, shared, l->of[shared].rows, from + i,
                         &(double){0});
    }
    return worst;
}

/* Biases that do nothing are those of keys, unless they are rotated, and of
   values, if b^O can have what they do. Latents are first: the other steps work
   in place on what they leave. */
double
heads_slim(const Heads *l, const Heads *to)
{
    const Published *p = l->model;
    Heads from = *l, rotated, rotated_to;
    from.stored = true;
    if (to)
        check_types(to);
    if (to && latent_of(l, KEY)) {
        from = *to;
        from.stored = true;
        slim_latent(&from, LATENT, KEY);
        if (latent_of(l, QUERY))
            slim_latent(&from, QUERY_LATENT, QUERY);
    }
    double worst = slim_map(&from, to, VALUE);
    if (!scores_are_normed(p))
        worst = fmax(worst, slim_map(&from, to, KEY));
    if (latent_of(l, KEY)) {
        rotated = rotated_heads(from);
        rotated_to = rotated_heads(to ? *to : from);
        worst = fmax(worst, slim_map(&rotated, to ? &rotated_to : NULL, KEY));
    }
    if (to && !(worst <= worst_condition))
        fail("%s: layer %d: removing the gauge would lose precision: a part of "
             "a map has condition %.1e, above the limit of %.0e; leave out "
             "--slim",
             p->name, l->number + 1, worst, worst_condition);
    if (to)
        move_biases(l, to);
    return worst;
}
