/* npy.h - files of arrays in NumPy's format, version 1.0: a header that
   describes the array, then its entries, row by row. NumPy, PyTorch, JAX, R and
   Julia can read them.
   https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef NPY_H
#define NPY_H

#include <qkv/real.h>

/* The sizes of an array. A matrix has no third dimension: `third` is 0. */
typedef struct NpyShape {
    int first, second, third;
} NpyShape;

/* Writes DIRECTORY/NAME, an array of this shape. The type of `values` is real
   for NPY_REALS, and int for NPY_INTS. Fails if the whole file cannot be
   written. */
typedef enum { NPY_REALS, NPY_INTS } NpyType;
void npy_write(const char *directory, const char *name, NpyType type,
               const void *values, NpyShape shape);

/* Reads a matrix into `values`. Fails unless the file has a matrix of exactly
   this shape, whose entries are finite, of type float or double, and in this
   machine's byte order. */
void npy_read(const char *path, real *values, int rows, int cols);

#endif
