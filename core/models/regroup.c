/* regroup.c - fits shared keys and values to the products of a group of heads.

   Let S_a be the keys of head a, and L_a its queries. The K that is wanted has
   the least sum over a of |L_a S_a' - L K'|^2, where each head has its own L.
   Its columns are the largest right singular vectors of all L_a S_a', one below
   the other (Eckart and Young 1936). They are combinations of the columns of
   all S_a, so only their coefficients C_a are computed: K = sum_a S_a C_a, or
   S C with the S_a side by side. Then the L of head a is L_a (S_a' K), if the
   columns of K are orthonormal.

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

/* A singular value whose square is below this share of the largest square is
   only rounding. */
static const double rounding = 1e-13;

/* If values follow all keys in one tensor, they begin earlier when there are
   fewer keys. If they are interleaved, each head's values stay beside its keys.
 */
Heads
regrouped(Heads l, int groups)
{
    int dropped = l.maps[KEY].heads - groups;
    bool in_tensor_of_keys = l.maps[VALUE].first > 0;
    if (in_tensor_of_keys && !published_has(l.model, "interleaved"))
        l.maps[VALUE].first -= dropped * l.maps[KEY].width;
    l.maps[KEY].heads = l.maps[VALUE].heads = groups;
    return l;
}

/* What is fitted at a time: n columns of each head of the shared map, and the
   same columns of the left map. They are a rotated pair, or all columns that
   are not rotated. Some groups of heads become one. */
typedef struct Fit {
    int left, shared;        /* the two maps, such as QUERY and KEY */
    int from, n;             /* columns from .. from + n - 1 of a head */
    int first_group, groups; /* the groups that become one: `groups` of them,
                                from first_group on */
    int heads_of_group;      /* of one of these groups */
    int all;                 /* groups x n: the columns of S */
    bool rotated;            /* true if the columns are a rotated pair */
    HeadColumns *of_left, *of_shared; /* the products of all their columns */
} Fit;

/* Allocates a matrix (n x n) of zeros. */
static double *
square_matrix(int n)
{
    return allocate(matrix_entries(n, n), sizeof(double));
}

/* Adds the products of the fitted columns of two heads to a block (n x n) of a
   matrix (all x all), whose first entry is *block. */
static void
add_products(double *block, HeadColumns *c, int one, int two, const Fit *f)
{
    const real *products = columns_product(c, one, two);
    for (int x = 0; x < f->n; x++)
        for (int y = 0; y < f->n; y++) {
            real entry = products[(f->from + x) * c->width + f->from + y];
            block[x * f->all + y] += (double)entry;
        }
}

/* S'S (all x all), the products of the shared columns of all groups. The caller
   frees it. */
static double *
shared_products(const Fit *f)
{
    int all = f->all, n = f->n;
    double *products = square_matrix(all);
    for (int i = 0; i < f->groups; i++)
        for (int j = 0; j < f->groups; j++) {
            double *block = products + i * n * all + j * n;
            add_products(block, f->of_shared, f->first_group + i,
                         f->first_group + j, f);
        }
    return products;
}

/* A square matrix P (all x all) with P P' = L'L. Here L has the left columns of
   all heads, and heads of different groups have different columns of L, so L'L
   has an n x n block on its diagonal for each group. P' can replace L, because
   |L S'| = |P' S'|. The caller frees P. */
static double *
left_root(const Fit *f)
{
    int all = f->all, first_head = f->first_group * f->heads_of_group;
    double *root = square_matrix(all);
    for (int i = 0; i < f->groups * f->heads_of_group; i++) {
        int at = i / f->heads_of_group * f->n, head = first_head + i;
        double *block = root + at * all + at; /* of the head's group */
        add_products(block, f->of_left, head, head, f);
    }
    Svd s = svd_of(root, all, all); /* L'L = U D U', so P = U D^(1/2) */
    for (int i = 0; i < all * all; i++)
        root[i] = s.u[i] * sqrt(s.s[i % all]);
    free(s.u);
    return root;
}

/* The mean norm of the columns of S, given S'S; 1 if they are all 0. */
static double
mean_norm(const double *products, int all)
{
    double mean = 0;
    for (int i = 0; i < all; i++)
        mean += sqrt(products[i * all + i]) / all;
    return mean > 0 ? mean : 1;
}

/* Makes the second of two columns (rows x 2) i times the first, as complex
   numbers: a pair of rows x, y of the first becomes -y, x in the second. */
static void
complete_rotated(double *columns, int rows)
{
    for (int row = 0; row < rows; row += 2) {
        double *upper = columns + row * 2, *lower = upper + 2;
        double x = upper[0], y = lower[0];
        upper[1] = -y;
        lower[1] = x;
    }
}

/* The coefficients C, one C_a below the other (all x n), for which the columns
   of K = S C are orthonormal. With the singular value decomposition
   P' S' = U D V', K has the first n columns of V = S P U D^-1, so C has those
   of P U D^-1. U and D^2 are the eigenvectors and eigenvalues of P' S'S P.
   Columns whose singular value is only rounding are 0. The caller frees C. */
static double *
best_factors(const double *products, const double *root, const Fit *f)
{
    int n = f->n, all = f->all;
    double *half = square_matrix(all), *whole = square_matrix(all);
    double *transpose = square_matrix(all), *scaled = square_matrix(all);
    double *factors = square_matrix(all); /* of which all x n are used */
    for (int i = 0; i < all; i++)
        for (int j = 0; j < all; j++)
            transpose[i * all + j] = root[j * all + i];
    product_of(half, products, root, all, all, all);   /* S'S P */
    product_of(whole, transpose, half, all, all, all); /* P' S'S P */
    Svd s = svd_of(whole, all, all);
    for (int i = 0; i < all; i++)
        for (int j = 0; j < n; j++)
            if (s.s[j] > rounding * s.s[0])
                scaled[i * n + j] = s.u[i * all + j] / sqrt(s.s[j]);
    if (f->rotated) /* the two singular values of a pair are equal */
        complete_rotated(scaled, all);
    product_of(factors, root, scaled, all, all, n);
    free(s.u);
    free(scaled);
    free(transpose);
    free(whole);
    free(half);
    return factors;
}

/* Adds the product of columns from .. from + n - 1 of a map with the matrix `a`
   (n x n) to `sum`. Its last row is that of the bias, if the map has one that
   counts. */
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

/* Writes the shared columns of the group that `f` makes: K = S C, the sum of
   S_a C_a. */
static void
write_shared(const Heads *l, const Heads *to, const Fit *f,
             const double *factors)
{
    int n = f->n, width = l->maps[f->shared].width;
    int group = f->first_group / f->groups; /* of `to` */
    double *keys =
        allocate(matrix_entries(l->model->d_model + 1, n), sizeof *keys);
    for (int a = 0; a < f->groups; a++) {
        int from = (f->first_group + a) * width + f->from;
        add_columns(keys, l, f->shared, from, n, factors + a * n * n);
    }
    set_columns(to, f->shared, group * width + f->from, n, keys);
    free(keys);
}

/* Writes the left columns of each head, L_a times its n x n block of `back`. */
static void
write_left(const Heads *l, const Heads *to, const Fit *f, const double *back)
{
    int n = f->n, first_head = f->first_group * f->heads_of_group;
    size_t size = matrix_entries(l->model->d_model + 1, n);
    for (int i = 0; i < f->groups * f->heads_of_group; i++) {
        int from = (first_head + i) * l->maps[f->left].width + f->from;
        int group = i / f->heads_of_group;
        double *queries = allocate(size, sizeof *queries);
        add_columns(queries, l, f->left, from, n, back + group * n * n);
        set_columns(to, f->left, from, n, queries);
        free(queries);
    }
}

/* Computes one fit, and writes its columns. K gets the mean norm of the
   columns of S, and L is divided by it. Otherwise small keys would leave W^Q
   with entries too small for 16 bits, and all keys would have another size than
   before. */
static void
write_fit(const Heads *l, const Heads *to, const Fit *f)
{
    int n = f->n, all = f->all;
    double *products = shared_products(f), *root = left_root(f);
    double *factors = best_factors(products, root, f);
    double *back = allocate(matrix_entries(all, n), sizeof *back);
    double norm = mean_norm(products, all);
    product_of(back, products, factors, all, all, n); /* S'K = S'S C */
    for (int i = 0; i < all * n; i++) {
        factors[i] *= norm;
        back[i] /= norm;
    }
    write_shared(l, to, f, factors);
    write_left(l, to, f, back);
    free(back);
    free(factors);
    free(root);
    free(products);
}

/* Fits a left and a shared map: for each group of `to`, the groups of l that
   become this one, and in these first each rotated pair of columns, then all
   columns that are not rotated. If the layer has a norm, the fit is to maps
   that include it, and is then applied to `stored`, the layer without its norm.
 */
static void
fit_maps(const Heads *l, const Heads *stored, const Heads *to, int left,
         int shared)
{
    const int one_layer = 1;
    HeadColumns of_left = columns_read(&l, one_layer, left);
    HeadColumns of_shared = columns_read(&l, one_layer, shared);
    int groups = l->maps[KEY].heads, width = l->maps[shared].width;
    Fit f = {.left = left,
             .shared = shared,
             .groups = groups / to->maps[KEY].heads,
             .heads_of_group = l->model->heads / groups,
             .of_left = &of_left,
             .of_shared = &of_shared};
    for (; f.first_group < groups; f.first_group += f.groups)
        for (f.from = 0; f.from < width; f.from += f.n) {
            f.rotated = f.from < rotated_width(l, shared);
            f.n = f.rotated ? 2 : width - f.from;
            f.all = f.groups * f.n;
            write_fit(stored, to, &f);
        }
    columns_free(&of_left);
    columns_free(&of_shared);
}

void
write_nearest(const Heads *l, const Heads *to)
{
    Heads stored = *l; /* without the norm, as the tensors store it */
    stored.gain = stored.shift = NULL;
    fit_maps(l, &stored, to, QUERY, KEY);
    fit_maps(l, &stored, to, OUTPUT, VALUE);
    write_constant(&stored, to);
}

void
write_mean(const Heads *l, const Heads *to)
{
    int groups = l->maps[KEY].heads / to->maps[KEY].heads; /* that become one */
    for (int map = KEY; map <= VALUE; map++) {
        int width = to->maps[map].width, columns = to->maps[map].heads * width;
        for (int row = 0; row <= l->model->d_model; row++)
            for (int col = 0; col < columns; col++) { /* of `to` */
                int first_group = col / width * groups, in_head = col % width;
                int first = first_group * width + in_head; /* column of l */
                double mean = 0;
                for (int i = 0; i < groups; i++)
                    mean += entry_of(l, map, row, first + i * width) / groups;
                set_entry(to, map, row, col, mean);
            }
    }
}
