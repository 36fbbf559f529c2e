/* matrix.h - views of some rows or columns of a matrix, and copies of it. */
#ifndef FAST_MATRIX_H
#define FAST_MATRIX_H

#include "heart/matrix.h"

/* A view of `count` rows of m from row `first` on. m.at is NULL if only shapes
   are wanted. */
static inline Matrix
some_rows(Matrix m, int first, int count)
{
    m.at = m.at ? m.at + first * m.down : NULL;
    m.rows = count;
    return m;
}

static inline Matrix
some_columns(Matrix m, int first, int count)
{
    return transposed(some_rows(transposed(m), first, count));
}

/* Copies m, one matrix, to `to`, where its rows are `width` entries apart. */
void copy_matrix(real *to, Matrix m, int width);

#endif
