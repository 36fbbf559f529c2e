/* eigenvalues.h - the eigenvalues of a square matrix. */
#ifndef EIGENVALUES_H
#define EIGENVALUES_H

#include <complex.h>
#include <stdbool.h>

/* Puts the n eigenvalues of h (n x n, stored row by row) into `values`, in no
   particular order. h is destroyed. Returns false if they were not found, as
   for a matrix with entries that are not finite. */
bool eigenvalues(double complex *h, int n, double complex *values);

#endif
