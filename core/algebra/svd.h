/* svd.h - singular values, by one-sided Jacobi rotations.

   Always in double, whatever `real` is: the rank of trained matrices depends on
   the last digits. */
#ifndef SVD_H
#define SVD_H

#include <qkv/real.h>

/* A = U diag(s) V' for A (m x n), stored row by row. With k = min(m, n), u is
   (m x k), v is (n x k), and the k singular values in s are not negative and in
   descending order. If A does not determine the columns of u and v for a
   singular value of 0, they are 0. The method is from Hestenes 1958; for its
   accuracy see Demmel and Veselic 1992. One block has u, s and v: the caller
   frees u. */
typedef struct Svd {
    double *u, *s, *v;
    int k;
} Svd;
Svd svd_of(const double *a, int m, int n);

/* Finds orthonormal rows q that span the rows of w (rows x length), and returns
   how many there are. Row r of q is made of the longest row that is left of w,
   whose number becomes chosen[r] unless `chosen` is NULL. w becomes 0, up to
   rounding. */
int row_basis(double *w, int rows, int length, double *q, int *chosen);

/* A = Q R has the singular values of R, which is small if A (length x n) is
   tall. The n columns of A, each a row of w, become those of Q, up to rounding;
   r becomes R (n x n), which must be 0 before. For the accuracy of R see Bjorck
   1967, "Solving linear least squares problems by Gram-Schmidt
   orthogonalization". */
void triangle_of(double *w, int n, int length, double *r);

/* The inner product of two vectors, several times as fast as a single sum: it
   adds up every 16th entry, and then these sums. */
double fast_dot(const double *x, const double *y, int n);

/* A singular value below this share of the largest one is only rounding, if the
   matrix was computed as `real`: a float rounds to 6e-8, and sums of some
   hundred terms that nearly cancel lose two more digits. */
#define ROUNDED_AWAY (sizeof(real) == 4 ? 1e-5 : 1e-12)

/* How many of the k values s exceed `most` times s[0]: the rank without
   rounding. */
int rank_of(const double *s, int k, double most);

/* t = U S^-1 V', the transposed pseudo-inverse of a (m x n), without singular
   values that are only rounding; t must be 0 before. Returns the rank. */
int pseudo_inverse(const double *a, int m, int n, double *t);

/* exp(entropy of s / sum s): k for k equal values, 1 for a single one (Roy and
   Vetterli 2007, "The effective rank"); 0 if all are 0. */
double effective_rank(const double *s, int k);

/* How much of M (d x d) is symmetric: |M + M'|^2 / |2 M|^2, 1 for M = M', 0 for
   M = -M', about 1/2 for a random one. */
double symmetric_share(const double *m, int d);

/* The ranks of a square matrix (d x d), from its singular values. For an M_i or
   N_i (canonical.h), only its first d rows count: the last one is a bias. */
typedef struct Spectrum {
    int rank;
    double effective_rank, largest;
} Spectrum;
Spectrum spectrum_of(const double *a, int d);

#endif
