/* rank.h - the rank of a large matrix.

   Gaussian elimination on random rows, a panel at a time. It stops once many
   consecutive rows are combinations of earlier ones, up to rounding. Large
   pivots are taken first; small ones wait until no larger one arrives. So the
   pivots fall about as the singular values do, and a gap between singular
   values shows as a gap between pivots. (The eigenvalues of A' A would lose
   every singular value below 1e-8 of the largest.) */
#ifndef RANK_H
#define RANK_H

#include <qkv/real.h>

enum { UNKNOWN_RANK = -1 };

/* A rank, and the gap that shows it. `last` and `next` are relative to the
   largest pivot. */
typedef struct Rank {
    int rank;    /* UNKNOWN_RANK if there is no gap, or if an entry is not
                    finite */
    double last; /* the smallest pivot that is counted */
    double next; /* the largest entry that is left when the counted pivots are
                    subtracted */
} Rank;

/* Writes the next `count` rows of the matrix, one after the other, in random
   order, or random combinations of its rows. `rows` is 0 before; a matrix that
   has no more rows leaves it so. `more` is the caller's own data. */
typedef void NextRows(void *more, int count, real *rows);

/* The rank of a matrix of n columns. */
Rank matrix_rank(NextRows *next, void *more, int n);

/* The largest share of the largest pivot that a pivot of 0 can have because
   entries are rounded. */
#define RANK_ROUNDING (sizeof(real) == 4 ? 1e-4 : 1e-13)

#endif
