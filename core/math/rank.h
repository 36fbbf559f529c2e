/* rank.h - the rank of a large matrix, and its null space.

   A QR decomposition of A with its columns mixed at random puts what A can
   reach first, and its rounding last (Demmel, Dumitriu and Holtz 2007, "Fast
   linear algebra is stable"): where a wide gap divides R, that proves the rank.
   Else a second one, of R', leaves a triangle whose diagonal follows the
   singular values closely (Stewart 1999, "The QLP approximation to the singular
   value decomposition"). A' A would be cheaper, and lose every singular value
   below 1e-8. */
#ifndef RANK_H
#define RANK_H

#include <qkv/real.h>

/* Singular values relative to the largest. */
typedef struct Rank {
    int rank;          /* -1: no gap tells those that are 0 from the others */
    double last, next; /* the last that is counted is at least that, and the
                          first that is not at most */
    int faint;         /* so many of those counted are far below the others, */
    double faintness;  /* the largest of them about that */
} Rank;

/* Of a (m x n, m >= n; its rows one after the other), which is overwritten. If
   `null` is not NULL, it becomes the (n x (n - rank)) orthonormal basis of all
   v with a v = 0, to be freed, or NULL where there is none. Values up to
   `rounding` may be taken for 0. */
Rank matrix_rank(real *a, int m, int n, double rounding, real **null);

/* What the rounding of a's entries can make of a singular value that is 0. */
#define RANK_ROUNDING (sizeof(real) == 4 ? 1e-4 : 1e-13)

#endif
