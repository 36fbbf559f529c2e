/* facts.c - facts about the products M and N of a head.

   A product L S' is as large as the model (d_model x d_model), but matrices as
   small as a head have the same facts. If L = Q R and S = P T, where Q and P
   have orthonormal columns, L S' has the singular values of R T' and, except
   for zeros, the eigenvalues of S'L. So the traces of their squares are equal,
   too: tr(L S' L S') = tr(S'L S'L). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/eigenvalues.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "models/facts.h"

/* Facts.rank is the least number of singular values whose squares have this
   share of the sum of all squares. */
static const double most_of_the_squares = 0.99;

/* The columns of a head of a map (KEY and VALUE have one for each group), one
   after the other, without biases. The caller frees them. */
static double *
head_columns(const Heads *l, int map, int head)
{
    int d = l->model->d_model, n = l->maps[map].width;
    double *by_row = map_columns(l, map, head * n, n);
    double *columns = allocate(matrix_entries(d, n), sizeof *columns);
    for (int row = 0; row < d; row++)
        for (int col = 0; col < n; col++)
            columns[col * d + row] = by_row[row * n + col];
    free(by_row);
    return columns;
}

/* S'L (n x n), given the n columns of L and of S, each of d entries. The caller
   frees it. */
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
    double complex *matrix = allocate(matrix_entries(n, n), sizeof *matrix);
    double complex *found = allocate((size_t)n, sizeof *found);
    double sum = 0, absolute_sum = 0;
    for (int i = 0; i < n * n; i++)
        matrix[i] = inner[i];
    bool converged = eigenvalues(matrix, n, found);
    for (int i = 0; i < n; i++) {
        sum += creal(found[i]);
        absolute_sum += cabs(found[i]);
    }
    free(found);
    free(matrix);
    free(inner);
    free(value);
    free(output);
    return converged ? sum / absolute_sum : NAN;
}

/* The singular values of L S', which are those of R T' (n x n), given the n
   columns of L and of S, each of d entries. With n > d, n - d zeros follow.
   Destroys both matrices. The caller frees the result. */
static double *
singular_values(double *left, double *shared, int n, int d)
{
    size_t size = matrix_entries(n, n);
    double *r = allocate(3 * size, sizeof *r);
    double *t = r + size, *product = t + size;
    double *values = allocate((size_t)n, sizeof *values);
    triangle_of(left, n, d, r);                      /* L = Q R */
    triangle_of(shared, n, d, t);                    /* S = P T */
    product_with_transposed(product, r, t, n, n, n); /* R T' */
    Svd svd = svd_of(product, n, n);
    memcpy(values, svd.s, (size_t)n * sizeof *values);
    free(svd.u); /* frees all of svd */
    free(r);     /* frees t and the product, too */
    return values;
}

/* The symmetric part of X = L S' is (X + X') / 2, whose squared norm is
   (|X|^2 + tr X^2) / 2. |X|^2 is the sum of the squared singular values, and
   tr X^2 is the trace of inner^2. */
Facts
facts_of(const Heads *l, int left, int shared, int head)
{
    int d = l->model->d_model, n = l->maps[left].width;
    double *of_left = head_columns(l, left, head);
    double *of_shared = head_columns(l, shared, group_of(l, shared, head));
    double *inner = inner_product(of_left, of_shared, n, d);
    double trace = 0, squares = 0, sum = 0; /* tr X^2; |X|^2; the sum so far */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            trace += inner[i * n + j] * inner[j * n + i];
    double *s = singular_values(of_left, of_shared, n, d);
    int count = n < d ? n : d; /* of the singular values of X */
    for (int i = 0; i < n; i++)
        squares += s[i] * s[i];
    Facts f = {.count = count,
               .singular = s,
               .least = s[count - 1] / s[0],
               .symmetric = squares > 0 ? (1 + trace / squares) / 2 : 1};
    for (int i = 0; i < n; i++) {
        if (sum < most_of_the_squares * squares) /* s[i] is needed */
            f.rank++;
        sum += s[i] * s[i];
    }
    free(inner);
    free(of_shared);
    free(of_left);
    return f;
}
