/* svd.h - singular values, by one-sided Jacobi rotations.

   In double whatever `real` is: it is used for the rank of trained matrices,
   where the last digits are the answer. */
#ifndef SVD_H
#define SVD_H

#include <qkv/real.h>

/* A = U diag(s) V' for A (m x n), row by row; with k = min(m, n): u (m x k),
   s (k, falling, none negative), v (n x k). The columns of u and v that belong
   to a singular value of 0 are 0 where the matrix does not fix them. Hestenes
   1958; Demmel and Veselic 1992 for its accuracy. Free u. */
typedef struct Svd {
    double *u, *s, *v;
    int k;
} Svd;
Svd svd_of(const double *a, int m, int n);

/* Orthonormal rows q that span the rows of w (rows x length), each the largest
   that is left of these, whose place goes to *chosen unless that is NULL; w
   becomes 0, up to rounding. Returns how many there are. */
int row_basis(double *w, int rows, int length, double *q, int *chosen);

/* Below this share of the largest one a singular value of numbers that were
   computed as `real` is rounding: of a float's 6e-8, some hundred terms' sum,
   and what is left where two such sums nearly cancel. */
#define ROUNDED_AWAY (sizeof(real) == 4 ? 1e-5 : 1e-12)

/* How many of s exceed `most` times s[0]: the rank, up to rounding. */
int rank_of(const double *s, int k, double most);

/* t = U S^-1 V' (m x n; 0 before), A's pseudo-inverse turned over, without what
   is rounding in S. Returns the rank. */
int pseudo_inverse(const double *a, int m, int n, double *t);

/* exp(entropy of s / sum s): k for k equal values, 1 for one (Roy and Vetterli
   2007, "The effective rank"). 0 where all are 0. */
double effective_rank(const double *s, int k);

/* How much of M (d x d) is symmetric: |M + M'|^2 / |2 M|^2, 1 for M = M', 0 for
   M = -M', about 1/2 for a random one. */
double symmetric_share(const double *m, int d);

/* What the singular values of a square matrix (d x d) say. Of an M_i or N_i
   (canonical.h) these are its first d rows: the last one is a bias. */
typedef struct Spectrum {
    int rank;
    double effective_rank, largest;
} Spectrum;
Spectrum spectrum_of(const double *a, int d);

#endif
