/* npy.h - files of arrays in NumPy's format, version 1.0: a header that
   describes the array, then its entries, row by row. NumPy, PyTorch, JAX, R and
   Julia can read them.
   https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef NPY_H
#define NPY_H

#include <qkv/real.h>

/* Writes DIRECTORY/NAME, an array of two or three dimensions. `kind` is 'f' if
   the values are of type real, 'i' if they are of type int. `shape` has as many
   sizes as there are dimensions. Fails if the file cannot be written whole. */
void npy_write(const char *directory, const char *name, char kind,
               const void *values, int dimensions, const int *shape);

/* Reads a matrix of exactly this shape. Fails unless the file has finite
   numbers of type float or double, in this machine's byte order. */
void npy_read(const char *path, real *values, int rows, int cols);

#endif
