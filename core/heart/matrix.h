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
    int count; /* how many such matrices, each `step` entries after the last */
    ptrdiff_t step;
} Matrix;

/* The (rows x cols) matrix at `at` whose rows start `stride` apart. */
static inline Matrix
matrix(const real *at, int rows, int cols, ptrdiff_t stride)
{
    return (Matrix){(real *)at, rows, cols, stride, 1, 1, 0};
}

static inline Matrix
transposed(Matrix a)
{
    return (Matrix){a.at, a.cols, a.rows, a.across, a.down, a.count, a.step};
}

/* C = A B: c (m x n), a (m x k), b (k x n). c, or c transposed, has across = 1;
   it overlaps neither a nor b. The caller has checked that the shapes fit. For
   a batch, C_i = A_i B_i for each i, since many small products cost less in one
   call. */
void multiply(Matrix c, Matrix a, Matrix b);

/* C += A B. In a batch, all C_i may be the same matrix. Each element of C is
   one chain of fused multiply-adds in the order of k, which starts from its old
   value. So the bits are the same for any vector width, tile and compiler. */
void multiply_add(Matrix c, Matrix a, Matrix b);

#endif
