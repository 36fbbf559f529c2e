/* facts.c - facts about the products M and N of a head.

   A product L S' of two tall matrices has the size of the model, but its facts
   are those of matrices as small as a head. With L = Q R and S = P T, its
   singular values are those of R T', where Q and P have orthonormal columns.
   Its eigenvalues, except zeros, are those of S'L, and with it the trace of its
   square: tr(L S' L S') = tr(S'L S'L). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/eigenvalues.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "models/facts.h"

/* The columns of a head (or of a group of heads, if the map is shared), one
   after the other, without biases. The caller frees them. */
static double *
head_columns(const Heads *l, int map, int head)
{
    int d = l->model->d_model, n = l->maps[map].width;
    double *rows = map_columns(l, map, head * n, n);
    double *columns = allocate(matrix_entries(d, n), sizeof *columns);
    for (int at = 0; at < d * n; at++)
        columns[at] = rows[at % d * n + at / d];
    free(rows);
    return columns;
}

/* S'L of the product L S' of a head (n x n, n its width), given their columns
   (d entries each). */
static double *
inner_product(const double *left, const double *shared, int n, int d)
{
    double *inner = allocate(matrix_entries(n, n), sizeof *inner);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            inner[i * n + j] = fast_dot(shared + i * d, left + j * d, d);
    return inner;
}

double
copying_of(const Heads *l, int head)
{
    int d = l->model->d_model, n = l->maps[OUTPUT].width;
    double *output = head_columns(l, OUTPUT, head);
    double *value = head_columns(l, VALUE, group_of(l, VALUE, head));
    double *inner = inner_product(output, value, n, d);
    double complex *h = allocate(matrix_entries(n, n + 1), sizeof *h);
    double complex *eigenvalue = h + n * n;
    double sum = 0, all = 0;
    for (int i = 0; i < n * n; i++)
        h[i] = inner[i];
    bool found = eigenvalues(h, n, eigenvalue);
    for (int i = 0; i < n; i++) {
        sum += creal(eigenvalue[i]);
        all += cabs(eigenvalue[i]);
    }
    free(h);
    free(inner);
    free(value);
    free(output);
    return found ? sum / all : NAN;
}

/* The singular values of the product L S' of two matrices of n columns, which
   are one after the other, of d entries. Both are destroyed; the caller frees
   the result. */
static double *
singular_values(double *left, double *shared, int n, int d)
{
    double *r = allocate(3 * matrix_entries(n, n), sizeof *r);
    double *t = r + n * n, *small = t + n * n;
    double *values = allocate((size_t)n, sizeof *values);
    triangle_of(left, n, d, r);
    triangle_of(shared, n, d, t);
    product_with_transposed(small, r, t, n, n, n);
    Svd svd = svd_of(small, n, n);
    memcpy(values, svd.s, (size_t)n * sizeof *values);
    free(svd.u);
    free(r);
    return values;
}

/* The symmetric part of X is (X + X') / 2, whose squared norm is (|X|^2 + tr
   X^2) / 2. */
Facts
facts_of(const Heads *l, int left, int shared, int head)
{
    int d = l->model->d_model, n = l->maps[left].width;
    double *of_left = head_columns(l, left, head);
    double *of_shared = head_columns(l, shared, group_of(l, shared, head));
    double *inner = inner_product(of_left, of_shared, n, d);
    double trace = 0, all = 0, sum = 0;
    for (int at = 0; at < n * n; at++) /* an entry times its transposed one */
        trace += inner[at] * inner[at % n * n + at / n];
    double *s = singular_values(of_left, of_shared, n, d);
    for (int i = 0; i < n; i++)
        all += s[i] * s[i];
    Facts f = {.count = n,
               .singular = s,
               .least = s[n - 1] / s[0],
               .symmetric = all > 0 ? (1 + trace / all) / 2 : 1};
    for (; f.rank < n && sum < 0.99 * all; f.rank++)
        sum += s[f.rank] * s[f.rank];
    free(inner);
    free(of_shared);
    free(of_left);
    return f;
}
