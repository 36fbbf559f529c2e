/* regroup.c - fits shared keys and values to the products of a group of heads.

   Some old groups become one new group. Let L_a have the columns of head a in
   W^Q, and S_g those of its old group g in W^K. Wanted is the W^K of the new
   group, K, with the least sum over a of |L_a S_g' - L K'|^2, where each head
   has its own L. The columns of K are the right singular vectors with the
   largest singular values of all L_a S_g', stacked one below the other (Eckart
   and Young 1936). They are combinations of the columns of all S_g, so only
   their coefficients C_g are computed: K = sum_g S_g C_g, or S C with the S_g
   side by side. The columns of K are orthonormal, so the L of head a is
   L_a (S_g' K).

   A rotation takes a pair of columns as one complex column, and only
   multiplication by complex numbers commutes with it. So each pair is fitted
   separately, with complex numbers, which are the matrices [x y; -y x].

   W^O and W^V are fitted like W^Q and W^K: L is from the left map of the two,
   OUTPUT or QUERY, and S from the shared one, VALUE or KEY. */
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

/* If keys and values are interleaved, each head's values stay beside its keys.
 */
Heads
regrouped(Heads l, int groups)
{
    int dropped = l.maps[KEY].heads - groups;
    bool in_tensor_of_keys = l.maps[VALUE].first > 0;
    bool interleaved = published_has(l.model, "interleaved");
    if (in_tensor_of_keys && !interleaved) /* values follow all the keys */
        l.maps[VALUE].first -= dropped * l.maps[KEY].width;
    l.maps[KEY].heads = l.maps[VALUE].heads = groups;
    return l;
}

/* One fit: some groups of heads become one. It fits n columns of each head, the
   same in the shared and in the left map: a rotated pair, or all columns that
   are not rotated. */
typedef struct Fit {
    int left, shared;        /* the two maps, such as QUERY and KEY */
    int from, n;             /* columns from .. from + n - 1 of a head */
    int first_group, groups; /* the groups that become one: `groups` of them,
                                from first_group on */
    int heads_of_group;      /* how many heads each of these groups has */
    int total;               /* the columns of S, groups x n */
    bool rotated;            /* true if the n columns are a rotated pair */
    HeadColumns *of_left, *of_shared; /* products of all columns of a map */
} Fit;

/* Allocates a matrix (n x n) of zeros. */
static double *
square_matrix(int n)
{
    return allocate(matrix_entries(n, n), sizeof(double));
}

/* Adds the products of the fitted columns of heads `one` and `two` to a block
   (n x n) of a matrix (total x total); *block is the block's first entry. */
static void
add_products(double *block, HeadColumns *c, int one, int two, const Fit *f)
{
    const real *products = columns_product(c, one, two);
    for (int x = 0; x < f->n; x++)
        for (int y = 0; y < f->n; y++) {
            real entry = products[(f->from + x) * c->width + f->from + y];
            block[x * f->total + y] += (double)entry;
        }
}

/* S'S (total x total), the products of the shared columns of all groups. The
   caller frees it. */
static double *
shared_products(const Fit *f)
{
    int total = f->total, n = f->n;
    double *products = square_matrix(total);
    for (int i = 0; i < f->groups; i++)
        for (int j = 0; j < f->groups; j++) {
            double *block = products + i * n * total + j * n;
            add_products(block, f->of_shared, f->first_group + i,
                         f->first_group + j, f);
        }
    return products;
}

/* The stacked L_a S_g' of all heads are one product L S', in which L has a row
   of blocks for each head: L_a in the columns of its group, and 0 in the
   others. Returns a matrix P (total x total) with P P' = L'L. P' can replace L:
   L S' and P' S' have the same singular values and right singular vectors. L'L
   is 0 except for a block (n x n) on its diagonal for each group, the sum of
   the L_a' L_a of its heads. The caller frees P. */
static double *
left_root(const Fit *f)
{
    int n = f->n, total = f->total;
    double *root = square_matrix(total); /* it is L'L first, then P */
    for (int g = 0; g < f->groups; g++)
        for (int i = 0; i < f->heads_of_group; i++) {
            int head = (f->first_group + g) * f->heads_of_group + i;
            double *block = root + g * n * total + g * n;
            add_products(block, f->of_left, head, head, f);
        }
    Svd s = svd_of(root, total, total); /* L'L = U D U', so P = U D^(1/2) */
    for (int i = 0; i < total * total; i++)
        root[i] = s.u[i] * sqrt(s.s[i % total]); /* column i % total */
    free(s.u);
    return root;
}

/* The mean norm of the columns of S, given S'S; 1 if they are all 0. */
static double
mean_norm(const double *products, int total)
{
    double mean = 0;
    for (int i = 0; i < total; i++)
        mean += sqrt(products[i * total + i]) / total;
    return mean > 0 ? mean : 1;
}

/* Sets the second of two columns (rows x 2) to the first one multiplied by the
   imaginary unit i. In a column, each two entries one below the other, x and y,
   are a complex number x + iy; times i it is -y + ix. */
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

/* The coefficients C (total x n), one C_g below the other, for which K = S C
   has the wanted columns, the first n right singular vectors of L S', which are
   those of P' S'. With P' S' = U D V', V = S P U D^-1, so C has the first n
   columns of P U D^-1. U and D come from P' S'S P = U D^2 U'. `products` is
   S'S, and `root` is P. The caller frees C. */
static double *
best_coefficients(const double *products, const double *root, const Fit *f)
{
    int n = f->n, total = f->total;
    double *half = square_matrix(total), *whole = square_matrix(total);
    double *transpose = square_matrix(total);
    double *scaled = allocate(matrix_entries(total, n), sizeof *scaled);
    double *coefficients = allocate(matrix_entries(total, n), sizeof *scaled);
    for (int i = 0; i < total; i++)
        for (int j = 0; j < total; j++)
            transpose[i * total + j] = root[j * total + i];
    product_of(half, products, root, total, total, total);   /* S'S P */
    product_of(whole, transpose, half, total, total, total); /* P' S'S P */
    Svd svd = svd_of(whole, total, total);
    const double *u = svd.u, *square = svd.s; /* the entries of D^2 */
    for (int i = 0; i < total; i++)
        for (int j = 0; j < n; j++)
            if (square[j] > rounding * square[0]) /* else the column is 0 */
                scaled[i * n + j] = u[i * total + j] / sqrt(square[j]);
    /* The two singular values of a pair are equal, so svd_of may return any
       basis of their plane; the second column has to be i times the first. */
    if (f->rotated)
        complete_rotated(scaled, total);
    product_of(coefficients, root, scaled, total, total, n); /* P U D^-1 */
    free(svd.u);
    free(scaled);
    free(transpose);
    free(whole);
    free(half);
    return coefficients;
}

/* Multiplies columns from .. from + n - 1 of a map by the matrix `a` (n x n),
   and adds the product to `sum` (d_model + 1 x n). The last row, the bias, is
   left out if it does not count; either all n columns of a fit are rotated or
   none is, so the first of them decides. */
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

/* Writes the shared columns of the new group: K = S C, the sum of S_g C_g. */
static void
write_shared(const Heads *l, const Heads *to, const Fit *f,
             const double *coefficients)
{
    int n = f->n, width = l->maps[f->shared].width;
    int new_group = f->first_group / f->groups; /* its number in `to` */
    double *keys =
        allocate(matrix_entries(l->model->d_model + 1, n), sizeof *keys);
    for (int g = 0; g < f->groups; g++) {
        int from = (f->first_group + g) * width + f->from;
        add_columns(keys, l, f->shared, from, n, coefficients + g * n * n);
    }
    set_columns(to, f->shared, new_group * width + f->from, n, keys);
    free(keys);
}

/* Writes the left columns of each head a, L_a (S_g' K). `blocks` has a block
   S_g' K (n x n) for each group g, one below the other. */
static void
write_left(const Heads *l, const Heads *to, const Fit *f, const double *blocks)
{
    int n = f->n, width = l->maps[f->left].width;
    size_t size = matrix_entries(l->model->d_model + 1, n);
    for (int g = 0; g < f->groups; g++)
        for (int i = 0; i < f->heads_of_group; i++) {
            int head = (f->first_group + g) * f->heads_of_group + i;
            int from = head * width + f->from; /* of its fitted columns */
            double *left = allocate(size, sizeof *left);
            add_columns(left, l, f->left, from, n, blocks + g * n * n);
            set_columns(to, f->left, from, n, left);
            free(left);
        }
}

/* Computes one fit, and writes its columns. K is multiplied by the mean norm of
   the columns of S, and the blocks S_g' K are divided by it, which leaves the
   products the same. So the new keys are about as large as the old ones, and
   the entries of L do not become too small for 16 bits. */
static void
write_fit(const Heads *l, const Heads *to, const Fit *f)
{
    int n = f->n, total = f->total;
    double *products = shared_products(f), *root = left_root(f);
    double *coefficients = best_coefficients(products, root, f);
    double *blocks = allocate(matrix_entries(total, n), sizeof *blocks);
    double norm = mean_norm(products, total);
    /* S'K = S'S C: one block S_g' K below the other. */
    product_of(blocks, products, coefficients, total, total, n);
    for (int i = 0; i < total * n; i++) {
        coefficients[i] *= norm;
        blocks[i] /= norm;
    }
    write_shared(l, to, f, coefficients);
    write_left(l, to, f, blocks);
    free(blocks);
    free(coefficients);
    free(root);
    free(products);
}

/* Fits a left and a shared map of layer l, group by group of `to`, and writes
   them into `to`. The fit is to the products of l, which include the norm
   before the layer, if there is one. What is written is made from `stored`, the
   same layer without its norm, because `to` keeps that norm. */
static void
fit_maps(const Heads *l, const Heads *stored, const Heads *to, int left,
         int shared)
{
    const int one_layer = 1;
    HeadColumns of_left = columns_read(&l, one_layer, left);
    HeadColumns of_shared = columns_read(&l, one_layer, shared);
    int old_groups = l->maps[KEY].heads, width = l->maps[shared].width;
    Fit f = {.left = left,
             .shared = shared,
             .groups = old_groups / to->maps[KEY].heads,
             .heads_of_group = l->model->heads / old_groups,
             .of_left = &of_left,
             .of_shared = &of_shared};
    for (; f.first_group < old_groups; f.first_group += f.groups)
        for (f.from = 0; f.from < width; f.from += f.n) {
            f.rotated = f.from < rotated_width(l, shared);
            f.n = f.rotated ? 2 : width - f.from; /* a pair, or all others */
            f.total = f.groups * f.n;
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
    /* This many groups of l become one group of `to`. */
    int groups = l->maps[KEY].heads / to->maps[KEY].heads;
    for (int map = KEY; map <= VALUE; map++) {
        int width = to->maps[map].width, columns = to->maps[map].heads * width;
        for (int row = 0; row <= l->model->d_model; row++)
            for (int col = 0; col < columns; col++) { /* of `to` */
                int new_group = col / width, in_head = col % width;
                int first = new_group * groups * width + in_head; /* of l */
                double mean = 0;
                for (int i = 0; i < groups; i++)
                    mean += entry_of(l, map, row, first + i * width) / groups;
                set_entry(to, map, row, col, mean);
            }
    }
}
