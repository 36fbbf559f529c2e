/* npy.h - files of matrices in NumPy's format, version 1.0: a line that says
   what they are, then the numbers, row by row. NumPy, PyTorch, JAX, R and Julia
   read it.
   https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef NPY_H
#define NPY_H

#include <qkv/real.h>

/* Writes DIRECTORY/NAME: an array of a x b entries, or of a x b x c if c is not
   0. `kind` is 'f' for real and 'i' for int. Exits if the file cannot be
   written whole. */
void npy_write(const char *directory, const char *name, char kind,
               const void *values, int a, int b, int c);

/* Reads a matrix of exactly that shape, of finite floats of 4 or 8 bytes in
   this machine's byte order. Fails with what is wrong if the file is anything
   else. */
void npy_read(const char *path, real *values, int rows, int cols);

#endif
