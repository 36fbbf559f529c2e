/* npy.h - files of matrices in NumPy's format (heart/npy.h). */
#ifndef NPY_FILE_H
#define NPY_FILE_H

#include "heart/npy.h"

/* Writes DIRECTORY/NAME: a x b numbers, or a x b x c where c is not 0; of kind
   'f', real, or 'i', int. Exits where it could not be written whole. */
void npy_write(const char *directory, const char *name, char kind,
               const void *values, int a, int b, int c);

/* Reads a matrix of just that shape, of finite 4- or 8-byte floats, in this
   machine's byte order; fails with what is wrong where the file is anything
   else. Without values it is checked alone. */
void npy_read(const char *path, real *values, int rows, int cols);

#endif
