/* matrix.h - views of matrices, and the one product that training needs.

   A view does not own its entries. Transposing swaps two strides and moves
   nothing, so one `multiply` serves A B, A B' and A' B. */
#ifndef MATRIX_H
#define MATRIX_H

#include <stddef.h>

#include <qkv/real.h>

typedef struct Matrix {
    real *at; /* element i, j is at[i * down + j * across] */
    int rows, cols;
    ptrdiff_t down, across;
} Matrix;

/* The (rows x cols) matrix at `at` whose rows start `stride` apart. */
static inline Matrix
matrix(const real *at, int rows, int cols, ptrdiff_t stride)
{
    return (Matrix){(real *)at, rows, cols, stride, 1};
}

static inline Matrix
transposed(Matrix a)
{
    return (Matrix){a.at, a.cols, a.rows, a.across, a.down};
}

/* The (rows x cols) part of m from row i and column j on. */
static inline Matrix
part(Matrix m, int i, int rows, int j, int cols)
{
    return (Matrix){m.at + i * m.down + j * m.across, rows, cols, m.down,
                    m.across};
}

static inline Matrix
some_rows(Matrix m, int first, int count)
{
    return part(m, first, count, 0, m.cols);
}

/* C = A B: c (m x n), a (m x k), b (k x n). c has across = 1 and overlaps
   neither a nor b. Shapes that do not fit abort. */
void multiply(Matrix c, Matrix a, Matrix b);

/* C += A B. Each element of C is one chain of fused multiply-adds in the
   order of k that starts from its old value: the same bits whatever the
   vector width, the tile or the compiler. */
void multiply_add(Matrix c, Matrix a, Matrix b);

/* Copies m into rows of `width` at `to`, with zeros after its last column. */
void copy_matrix(real *to, Matrix m, int width);

#endif
