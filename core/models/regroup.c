/* regroup.c - fits shared keys and values to the products of a group of heads.

   Let S_a be the keys of head a, and L_a its queries. The K that is wanted has
   the least sum over a of |L_a S_a' - L K'|^2, where each head has its own L.
   Its columns are the largest right singular vectors of all L_a S_a', one below
   the other (Eckart and Young 1936). They are combinations of the columns of
   all S_a, so only their coefficients C_a are computed: K = sum_a S_a C_a, or
   S C with the S_a side by side. Then the L of head a is L_a (S_a' K).

   A rotation takes a pair of columns as one complex column, and only complex
   factors commute with it. So each pair is fitted separately, with complex
   numbers, which are the matrices [x y; -y x].

   The same is done with OUTPUT and VALUE as with QUERY and KEY: L is from the
   left map of a pair, S from the shared one. */
#include <math.h>
#include <stdlib.h>

#include "algebra/canonical.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "models/columns.h"
#include "models/regroup.h"

/* A singular value below this share of the largest is only rounding. */
static const double rounding = 1e-13;

/* If values follow all keys in one tensor, they begin earlier when there are
   fewer keys. */
Heads
regrouped(Heads l, int groups)
{
    int dropped = l.maps[KEY].heads - groups;
    bool packed = l.maps[VALUE].first > 0;
    if (packed && !published_has(l.model, "interleaved"))
        l.maps[VALUE].first -= dropped * l.maps[KEY].width;
    l.maps[KEY].heads = l.maps[VALUE].heads = groups;
    return l;
}

/* What is fitted at a time: from each of some groups, n columns of the shared
   map and the same columns of the left map of its heads. These groups become
   one. The n columns are a rotated pair, or all others of a head. */
typedef struct Fit {
    int left, shared; /* the two maps, such as QUERY and KEY */
    int from, n;      /* columns from .. from + n - 1 of a head */
    int all;          /* count n, the columns of S or of L */
    int first, count; /* the groups that become one: first .. first + count
                         - 1 */
    int each;         /* the heads of one of these groups */
    bool rotated;
    HeadColumns *of_left, *of_shared; /* the products of all their columns */
} Fit;

/* Adds the products of the fitted columns of two heads to the n x n block of
   `sum` at this row and column. */
static void
add_products(double *sum, int row, int col, HeadColumns *c, int one, int two,
             const Fit *f)
{
    const real *products = columns_product(c, one, two);
    for (int x = 0; x < f->n; x++)
        for (int y = 0; y < f->n; y++) {
            real entry = products[(f->from + x) * c->width + f->from + y];
            sum[(row + x) * f->all + col + y] += (double)entry;
        }
}

/* S'S, the products of the shared columns of all groups. */
static double *
shared_products(const Fit *f)
{
    int all = f->all, n = f->n;
    double *products = allocate(matrix_entries(all, all), sizeof *products);
    for (int i = 0; i < f->count; i++)
        for (int j = 0; j < f->count; j++)
            add_products(products, i * n, j * n, f->of_shared, f->first + i,
                         f->first + j, f);
    return products;
}

/* A square matrix P with P P' = L'L, where L has the left columns of all heads,
   those of different groups in different rows. So L'L has an n x n block on its
   diagonal for each group. P' can replace L, because |L S'| = |P' S'|. */
static double *
left_root(const Fit *f)
{
    int all = f->all;
    double *root = allocate(matrix_entries(all, all), sizeof *root);
    for (int i = 0; i < f->count * f->each; i++) {
        int head = f->first * f->each + i, place = i / f->each * f->n;
        add_products(root, place, place, f->of_left, head, head, f);
    }
    Svd s = svd_of(root, all, all);
    for (int i = 0; i < all * all; i++)
        root[i] = s.u[i] * sqrt(s.s[i % all]);
    free(s.u);
    return root;
}

/* The coefficients C, one C_a below the other (all x n). With the singular
   value decomposition P' S' = U D V', K is V = S P U D^-1, and U and D^2 are
   the eigenvectors and eigenvalues of P' S'S P. So C = P U D^-1, where only the
   n largest are taken. Vectors that there are not are 0. */
static double *
best_factors(const double *products, const double *root, const Fit *f)
{
    int n = f->n, all = f->all;
    size_t size = matrix_entries(all, all);
    double *half = allocate(4 * size, sizeof *half), *whole = half + size;
    double *transpose = whole + size, *u = transpose + size;
    double *factors = allocate(size, sizeof *factors);
    for (int i = 0; i < all * all; i++)
        transpose[i] = root[i % all * all + i / all];
    product_of(half, products, root, all, all, all);
    product_of(whole, transpose, half, all, all, all); /* P' S'S P */
    Svd s = svd_of(whole, all, all);
    for (int i = 0; i < all; i++)
        for (int j = 0; j < n; j++)
            if (s.s[j] > rounding * s.s[0])
                u[i * n + j] = s.u[i * all + j] / sqrt(s.s[j]);
    if (f->rotated) /* a complex number: the second column is i times the first
                     */
        for (int i = 0; i < all; i += 2) {
            u[i * n + 1] = -u[(i + 1) * n];
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

/* Writes w into columns from .. from + n - 1 of a map, bias included. */
static void
write_columns(const Heads *to, int map, int from, int n, const double *w)
{
    for (int row = 0; row <= to->model->d_model; row++)
        for (int col = 0; col < n; col++)
            set_entry(to, map, row, from + col, w[row * n + col]);
}

/* Fits the columns of one fit, and writes them. K has orthonormal columns. */
static void
write_fit(const Heads *l, const Heads *to, const Fit *f)
{
    int n = f->n, all = f->all, shared_width = l->maps[f->shared].width;
    int group = f->first / f->count; /* of `to` */
    size_t size = matrix_entries(l->model->d_model + 1, n);
    double *products = shared_products(f), *root = left_root(f);
    double *factors = best_factors(products, root, f);
    double *back = allocate(matrix_entries(all, n), sizeof *back);
    product_of(back, products, factors, all, all, n); /* S'K = S'S C */

    /* K = S C, the sum of S_a C_a. */
    double *keys = allocate(size, sizeof *keys);
    for (int a = 0; a < f->count; a++) {
        int from = (f->first + a) * shared_width + f->from;
        add_columns(keys, l, f->shared, from, n, factors + a * n * n);
    }
    write_columns(to, f->shared, group * shared_width + f->from, n, keys);

    /* The left columns of each head, L_a (S_a' K). */
    for (int i = 0; i < f->count * f->each; i++) {
        int head = f->first * f->each + i;
        int from = head * l->maps[f->left].width + f->from;
        double *queries = allocate(size, sizeof *queries);
        add_columns(queries, l, f->left, from, n, back + i / f->each * n * n);
        write_columns(to, f->left, from, n, queries);
        free(queries);
    }
    free(keys);
    free(back);
    free(factors);
    free(root);
    free(products);
}

/* Fits a left and a shared map. If the layer has a norm, the fit is to maps
   that include it, and is then applied to `stored`, the layer without its norm.
 */
static void
fit_maps(const Heads *l, const Heads *stored, const Heads *to, int left,
         int shared)
{
    HeadColumns of_left = columns_read(&l, 1, left);
    HeadColumns of_shared = columns_read(&l, 1, shared);
    int groups = l->maps[KEY].heads, width = l->maps[shared].width;
    Fit f = {.left = left,
             .shared = shared,
             .count = groups / to->maps[KEY].heads,
             .each = l->model->heads / groups,
             .of_left = &of_left,
             .of_shared = &of_shared};
    for (; f.first < groups; f.first += f.count)
        for (f.from = 0; f.from < width; f.from += f.n) {
            f.rotated = shared == KEY && f.from < l->rope;
            f.n = f.rotated ? 2 : width - f.from;
            f.all = f.count * f.n;
            write_fit(stored, to, &f);
        }
    columns_free(&of_left);
    columns_free(&of_shared);
}

void
write_nearest(const Heads *l, const Heads *to)
{
    Heads stored = *l;
    stored.gain = stored.shift = NULL;
    fit_maps(l, &stored, to, QUERY, KEY);
    fit_maps(l, &stored, to, OUTPUT, VALUE);
    move_biases(&stored, to);
}

void
write_mean(const Heads *l, const Heads *to)
{
    int count = l->maps[KEY].heads / to->maps[KEY].heads;
    for (int map = KEY; map <= VALUE; map++) {
        int width = to->maps[map].width, columns = to->maps[map].heads * width;
        for (int at = 0; at < (l->model->d_model + 1) * columns; at++) {
            int row = at / columns, col = at % columns;            /* of `to` */
            int first = col / width * count * width + col % width; /* of l */
            double mean = 0;
            for (int head = 0; head < count; head++)
                mean += entry_of(l, map, row, first + head * width) / count;
            set_entry(to, map, row, col, mean);
        }
    }
}
