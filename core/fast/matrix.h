/* matrix.h - rows, columns and copies of a matrix. */
#ifndef FAST_MATRIX_H
#define FAST_MATRIX_H

#include "heart/matrix.h"

/* `count` rows of m from `first` on. m.at may be NULL. */
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

/* Copies m into rows of `width` at `to`. */
void copy_matrix(real *to, Matrix m, int width);

#endif
