/* matrix.h - views of matrices, and the one product that training needs.

   A view points to entries that belong to somebody else. Transposing it swaps
   two strides and moves no entry, so one `multiply` computes A B, A B' and
   A' B. A view can also describe a batch: several matrices of one shape, at a
   fixed distance from each other. */
#ifndef MATRIX_H
#define MATRIX_H

#include <stddef.h>

#include <qkv/real.h>

typedef struct Matrix {
    real *at; /* entry i, j is at[i * down + j * across] */
    int rows, cols;
    ptrdiff_t down, across; /* entries from a row, or column, to the next */
    int count;      /* number of matrices in the batch; 1 without a batch */
    ptrdiff_t step; /* entries from one matrix of a batch to the next */
} Matrix;

/* A view of the (rows x cols) matrix at `at` whose rows are `stride` entries
   apart. It drops `const`: the caller must not write to entries that are
   constant. */
static inline Matrix
matrix(const real *at, int rows, int cols, ptrdiff_t stride)
{
    return (Matrix){(real *)at, rows, cols, stride, .across = 1, .count = 1};
}

/* A', with the same entries: rows and columns swap, and so do their strides. */
static inline Matrix
transposed(Matrix a)
{
    return (Matrix){a.at, a.cols, a.rows, a.across, a.down, a.count, a.step};
}

/* C = A B, with C (m x n), A (m x k) and B (k x n); in a batch C_i = A_i B_i
   for each matrix i. The caller makes sure that the shapes fit, that C overlaps
   neither A nor B, and that `across` is 1 in C or in the transpose of C. */
void multiply(Matrix c, Matrix a, Matrix b);

/* C += A B. In a batch, all C_i may be the same matrix (step 0), to which all
   products are then added. Each entry of C is one chain of fused multiply-adds,
   along a row of A, which starts from the old entry (in multiply, from 0). So
   the bits are the same for any vector width, tile and compiler. */
void multiply_add(Matrix c, Matrix a, Matrix b);

#endif
