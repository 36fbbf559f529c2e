/* regroup.c - fits shared keys and values to the products of a group of heads.

   With S_a the keys of head a and L_a its queries, the K that is wanted has the
   least sum of |L_a S_a' - L K'|^2, each with its own L: its columns are the
   largest right singular vectors of all L_a S_a', one below the other (Eckart
   and Young 1936). They are combinations of the columns of all S_a, so only
   their coefficients C_a are computed: K = sum_a S_a C_a. Then L is
   L_a (S_a' K).

   A rotation passes only factors that are complex numbers, if a pair of columns
   is taken for one complex column. Then the same is done for each pair, with
   complex numbers, which are matrices [x y; -y x]. */
#include <math.h>
#include <stdlib.h>

#include "algebra/canonical.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "models/columns.h"
#include "models/regroup.h"

Heads
regrouped(Heads l, int groups)
{
    Published *fewer = allocate(1, sizeof *fewer);
    int dropped = l.model->groups - groups;
    bool packed = l.of[VALUE].first > 0; /* in one tensor with the keys */
    if (packed && !published_has(l.model, "interleaved")) /* behind them all */
        l.of[VALUE].first -= dropped * l.of[KEY].width;
    l.of[KEY].heads = l.of[VALUE].heads = groups;
    *fewer = *l.model;
    fewer->groups = groups;
    l.model = fewer;
    return l;
}

/* The columns of a map that are fitted together: the two of a rotated pair, or
   all others of a head. */
typedef struct Block {
    int left, shared; /* the two maps */
    int from, n;      /* of each head n columns from one on */
    int first, count; /* the groups of heads that become one, */
    int each;         /* and how many heads these have */
    bool rotated;
} Block;

/* Where the block's columns of a head begin. */
static int
column(const Heads *l, const Block *b, int map, int head)
{
    return head * l->of[map].width + b->from;
}

/* Adds the products of the block's columns of two heads to a part of `sum` (all
   x all) from that row and column on. */
static void
add_block(double *sum, int all, int row, int col, HeadColumns *c, int one,
          int two, const Block *b)
{
    const real *products = columns_product(c, one, two);
    for (int x = 0; x < b->n; x++)
        for (int y = 0; y < b->n; y++)
            sum[(row + x) * all + col + y] +=
                (double)products[(b->from + x) * c->width + b->from + y];
}

/* The products of the shared columns of all groups of the block, S'S. */
static double *
shared_products(const Block *b, HeadColumns *shared)
{
    int all = b->count * b->n;
    double *g = allocate(matrix_entries(all, all), sizeof *g);
    for (int i = 0; i < b->count; i++)
        for (int j = 0; j < b->count; j++)
            add_block(g, all, i * b->n, j * b->n, shared, b->first + i,
                      b->first + j, b);
    return g;
}

/* A square matrix P with P P' = L'L, where L has the left columns of all heads.
   It can replace L, because |L S'| = |P' S'|. Each group has a block on the
   diagonal. */
static double *
left_root(const Block *b, HeadColumns *left)
{
    int all = b->count * b->n;
    double *h = allocate(matrix_entries(all, all), sizeof *h);
    for (int i = 0; i < b->count * b->each; i++) {
        int head = b->first * b->each + i, place = i / b->each * b->n;
        add_block(h, all, place, place, left, head, head, b);
    }
    Svd s = svd_of(h, all, all);
    for (int i = 0; i < all * all; i++)
        h[i] = s.u[i] * sqrt(s.s[i % all]);
    free(s.u);
    return h;
}

/* The factors C, one below the other (all x n), by which K = S C has the n
   largest singular vectors as columns. They have length 1, or 0 if there are
   fewer. */
static double *
best_factors(const double *g, const double *root, const Block *b)
{
    int n = b->n, all = b->count * n;
    size_t size = matrix_entries(all, all);
    double *half = allocate(4 * size, sizeof *half), *w = half + size;
    double *turned = w + size, *u = turned + size;
    double *factors = allocate(size, sizeof *factors);
    product_of(half, g, root, all, all, all);
    for (int i = 0; i < all * all; i++)
        turned[i] = root[i % all * all + i / all];
    product_of(w, turned, half, all, all, all);
    Svd s = svd_of(w, all, all);
    for (int i = 0; i < all * n; i++)
        if (s.s[i % n] > 1e-13 * s.s[0])
            u[i] = s.u[i / n * all + i % n] / sqrt(s.s[i % n]);
    if (b->rotated)
        for (int i = 0; i < all; i += 2) {
            u[i * n + 1] =
                -u[(i + 1) * n]; /* the second is i times the first */
            u[(i + 1) * n + 1] = u[i * n];
        }
    product_of(factors, root, u, all, all, n);
    free(s.u);
    free(half);
    return factors;
}

/* Adds columns from .. from + n - 1 of a map, times a (n x n), to `sum`. */
static void
add_columns(double *sum, const Heads *l, int map, int from, int n,
            const double *a)
{
    int d = l->model->d_model;
    double *w = map_columns(l, map, from, n);
    double *product = allocate(matrix_entries(d + 1, n), sizeof *product);
    int rows = bias_counts(l, map, from) ? d + 1 : d;
    product_of(product, w, a, rows, n, n);
    for (int i = 0; i < rows * n; i++)
        sum[i] += product[i];
    free(product);
    free(w);
}

static void
write_columns(const Heads *to, int map, int from, int n, const double *w)
{
    for (int at = 0; at < (to->model->d_model + 1) * n; at++)
        entry_of(to, map, at / n, from + at % n, &w[at]);
}

/* Fits a block, given the products of all columns of its two maps. The columns
   of K get the mean norm of the keys' columns. */
static void
fit_block(const Heads *l, const Heads *to, const Block *b, HeadColumns *left,
          HeadColumns *shared)
{
    int n = b->n, all = b->count * n;
    size_t size = matrix_entries(l->model->d_model + 1, n);
    double *g = shared_products(b, shared), *root = left_root(b, left);
    double *factors = best_factors(g, root, b), scale = 0;
    double *back = allocate(matrix_entries(all, n), sizeof *back);
    product_of(back, g, factors, all, all, n);
    for (int i = 0; i < all; i++)
        scale += sqrt(g[i * all + i]) / all;
    for (int i = 0; i < all * n && scale > 0; i++) {
        factors[i] *= scale;
        back[i] /= scale;
    }
    double *keys = allocate(size, sizeof *keys);
    for (int a = 0; a < b->count; a++)
        add_columns(keys, l, b->shared, column(l, b, b->shared, b->first + a),
                    n, factors + a * n * n);
    write_columns(to, b->shared, column(l, b, b->shared, b->first / b->count),
                  n, keys);
    for (int i = 0; i < b->count * b->each; i++) {
        int from = column(l, b, b->left, b->first * b->each + i);
        double *queries = allocate(size, sizeof *queries);
        add_columns(queries, l, b->left, from, n, back + i / b->each * n * n);
        write_columns(to, b->left, from, n, queries);
        free(queries);
    }
    free(keys);
    free(back);
    free(factors);
    free(root);
    free(g);
}

/* Fits the two maps of a block, a block at a time. If the layer has a norm, the
   maps behind it are fitted; the result is written into `stored`, the layer
   without its norm. */
static void
fit_maps(const Heads *l, const Heads *stored, const Heads *to, Block b)
{
    HeadColumns left = columns_read(&l, 1, b.left);
    HeadColumns shared = columns_read(&l, 1, b.shared);
    int width = l->of[b.shared].width;
    for (; b.first < l->model->groups; b.first += b.count)
        for (b.from = 0; b.from < width; b.from += b.n) {
            b.rotated = b.shared == KEY && b.from < l->model->rope;
            b.n = b.rotated ? 2 : width - b.from;
            fit_block(stored, to, &b, &left, &shared);
        }
    columns_free(&left);
    columns_free(&shared);
}

void
write_nearest(const Heads *l, const Heads *to)
{
    Heads stored = *l;
    stored.gain = stored.shift = NULL;
    int groups = l->model->groups, each = l->model->heads / groups;
    int count = groups / to->model->groups;
    fit_maps(l, &stored, to, (Block){QUERY, KEY, .count = count, .each = each});
    fit_maps(l, &stored, to,
             (Block){OUTPUT, VALUE, .count = count, .each = each});
    move_biases(&stored, to);
}

void
write_mean(const Heads *l, const Heads *to)
{
    int count = l->model->groups / to->model->groups;
    for (int map = KEY; map <= VALUE; map++) {
        int width = to->of[map].width, cols = to->of[map].heads * width;
        for (int at = 0; at < (l->model->d_model + 1) * cols; at++) {
            int row = at / cols, col = at % cols;
            int from = col / width * count * width + col % width;
            double mean = 0;
            for (int a = 0; a < count; a++)
                mean += entry_of(l, map, row, from + a * width, NULL) / count;
            entry_of(to, map, row, col, &mean);
        }
    }
}
