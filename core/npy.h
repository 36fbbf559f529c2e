/* npy.h - matrices in NumPy's format, version 1.0: a line that says what they
   are, then the numbers, row by row. NumPy, PyTorch, JAX, R and Julia read it.
   https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef NPY_H
#define NPY_H

#include <stdbool.h>

#include <qkv/real.h>

/* False, with errno set, where it could not be written whole. */
bool npy_write(const char *path, const real *values, int rows, int cols);

/* Reads a matrix of just that shape, of 4- or 8-byte floats, in this machine's
   byte order; fails with what is wrong where the file is anything else. */
void npy_read(const char *path, real *values, int rows, int cols);

#endif
