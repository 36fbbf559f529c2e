/* npy.h - matrices in NumPy's format, version 1.0: a line that says what they
   are, then the numbers, row by row. NumPy, PyTorch, JAX, R and Julia read it.
   https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef NPY_H
#define NPY_H

#include <stddef.h>

#include <qkv/real.h>

/* Writes DIRECTORY/NAME; exits where it could not be written whole. */
void npy_write(const char *directory, const char *name, const real *values,
               int rows, int cols);

/* The same for an array of any shape, "3, 4, 2", of `count` numbers of `size`
   bytes: 'f' for real or double, 'i' for int. */
void npy_write_array(const char *directory, const char *name, char kind,
                     size_t size, const void *values, size_t count,
                     const char *shape);

/* Reads a matrix of just that shape, of finite 4- or 8-byte floats, in this
   machine's byte order; fails with what is wrong where the file is anything
   else. Without values it is checked alone. */
void npy_read(const char *path, real *values, int rows, int cols);

#endif
