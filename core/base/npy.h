/* npy.h - files of matrices in NumPy's format, version 1.0: a line that says
   what they are, then the numbers, row by row. NumPy, PyTorch, JAX, R and Julia
   read it.
   https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef NPY_H
#define NPY_H

#include <qkv/real.h>

/* Writes DIRECTORY/NAME: a x b numbers, or a x b x c where c is not 0; of kind
   'f', real, or 'i', int. Exits where it could not be written whole. */
void npy_write(const char *directory, const char *name, char kind,
               const void *values, int a, int b, int c);

/* Reads a matrix of just that shape, of finite 4- or 8-byte floats, in this
   machine's byte order; fails with what is wrong where the file is anything
   else. Without values it is checked alone. */
void npy_read(const char *path, real *values, int rows, int cols);

#endif
