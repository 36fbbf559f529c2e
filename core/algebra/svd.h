/* svd.h - singular values, by one-sided Jacobi rotations.

   All numbers are double, whatever `real` is, because the rank of trained
   matrices depends on the last digits. */
#ifndef SVD_H
#define SVD_H

#include <qkv/real.h>

/* A = U diag(s) V' for A (m x n). All matrices are stored row by row. With
   k = min(m, n), u is (m x k), v is (n x k), and s has the k singular values,
   the largest first. The columns of u and v for a singular value of 0 may be 0,
   since A does not determine them. The method is from Hestenes 1958; for its
   accuracy see Demmel and Veselic 1992. u, s and v are one block of memory: to
   free all three, free u. */
typedef struct Svd {
    double *u, *s, *v;
    int k;
} Svd;
Svd svd_of(const double *a, int m, int n);

/* Writes orthonormal rows to q that span the rows of w (rows x length), and
   returns their number. Row r of q is the longest row of w, divided by its
   length, after the components along rows 0 .. r - 1 of q were removed from all
   rows of w. Its index becomes chosen[r], unless `chosen` is NULL. At the end w
   is 0, up to rounding. */
int row_basis(double *w, int rows, int length, double *q, int *chosen);

/* Computes A = Q R for a tall A (length x n). R is small and has the singular
   values of A. The rows of w (n x length) are the columns of A, and become the
   columns of Q, up to rounding. r (n x n) must be 0 before, and becomes R. For
   the accuracy of R see Bjorck 1967, "Solving linear least squares problems by
   Gram-Schmidt orthogonalization". */
void triangle_of(double *w, int n, int length, double *r);

/* The inner product of two vectors. It is several times as fast as one running
   sum, because it keeps 16 independent sums, each of every 16th term, and adds
   them up at the end. */
double fast_dot(const double *x, const double *y, int n);

/* A singular value below this share of the largest one is only rounding, if the
   matrix was computed as `real`: a float rounds to 6e-8, and sums of some
   hundred terms that nearly cancel lose two more digits. */
#define ROUNDED_AWAY (sizeof(real) == 4 ? 1e-5 : 1e-12)

/* The number of the k singular values that exceed `rounding` times the largest,
   s[0]. It is the rank if all smaller ones are only rounding. */
int rank_of(const double *s, int k, double rounding);

/* Writes U S^-1 V' (m x n), the transposed pseudo-inverse of a (m x n), to t,
   which must be 0 before. Leaves out singular values that are only rounding.
   Returns the rank. */
int pseudo_inverse(const double *a, int m, int n, double *t);

/* exp(entropy of s / sum s) of the k values s: k if all are equal, 1 if only
   one is not 0, and 0 if all are 0 (Roy and Vetterli 2007, "The effective
   rank"). */
double effective_rank(const double *s, int k);

/* The share of M (d x d) that is symmetric: |M + M'|^2 / |2 M|^2. It is 1 for
   M = M', 0 for M = -M', and about 1/2 for a random matrix. */
double symmetric_share(const double *m, int d);

/* Facts that follow from the singular values of a square matrix (d x d). An M_i
   or N_i (canonical.h) has d + 1 rows; spectrum_of does not read the last row,
   which comes from a bias. */
typedef struct Spectrum {
    int rank;
    double effective_rank;
    double largest; /* the largest singular value */
} Spectrum;
Spectrum spectrum_of(const double *a, int d);

#endif
