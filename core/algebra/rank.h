/* rank.h - the rank of a large matrix.

   It is found by Gaussian elimination on random rows, a panel of rows at a
   time. The elimination stops once many consecutive rows are combinations of
   earlier rows, up to rounding. Large pivots are taken first; small pivots wait
   until no larger one arrives. So the pivots decrease roughly as the singular
   values do, and a gap between singular values appears as a gap between pivots.
   (The eigenvalues of A' A would lose every singular value below 1e-8 of the
   largest.) */
#ifndef RANK_H
#define RANK_H

#include <qkv/real.h>

enum { UNKNOWN_RANK = -1 };

/* A rank, and the gap between pivots that shows it. `last` and `next` are
   relative to the largest pivot. */
typedef struct Rank {
    int rank;    /* UNKNOWN_RANK if there is no gap, or if an entry is not
                    finite */
    double last; /* the smallest pivot that is counted */
    double next; /* the largest entry that remains after the counted pivots are
                    subtracted */
} Rank;

/* Writes `count` rows to `rows`, one after the other: the next rows of the
   matrix in random order, or random combinations of its rows. `rows` is all 0
   before; if the matrix has no more rows, the rest of `rows` stays 0. `more` is
   the caller's own data. */
typedef void NextRows(void *more, int count, real *rows);

/* The rank of a matrix with n columns, whose rows `next` writes. */
Rank matrix_rank(NextRows *next, void *more, int n);

/* A pivot of at most this share of the largest pivot may be only rounding. */
#define RANK_ROUNDING (sizeof(real) == 4 ? 1e-4 : 1e-13)

#endif
