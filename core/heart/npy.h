/* npy.h - matrices in NumPy's format, version 1.0: a line that says what they
   are, then the numbers, row by row. NumPy, PyTorch, JAX, R and Julia read it.
   https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef NPY_H
#define NPY_H

#include <stdio.h>

#include <qkv/real.h>

/* Writes a x b numbers, or a x b x c where c is not 0; of kind 'f', real, or
   'i', int. */
void npy_put(FILE *file, char kind, const void *values, int a, int b, int c);

#endif
