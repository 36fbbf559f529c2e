/* rank.h - the rank of a large matrix.

   Gaussian elimination by as many rows as it takes: they are asked for a panel
   at a time, and are random, so that once many new ones are combinations of
   those before, up to rounding, so are all. Large pivots first: one is taken
   only if it is not far below the largest there is, and small ones wait until
   nothing larger comes, so that the pivots fall as the singular values do, and
   a gap in these is one in those. A' A would lose every singular value below
   1e-8. */
#ifndef RANK_H
#define RANK_H

#include <qkv/real.h>

/* Pivots, relative to the largest. */
typedef struct Rank {
    int rank;          /* -1: no gap tells those that are 0 from the others */
    double last, next; /* the smallest that is counted, and the largest entry of
                          what is left when these are subtracted */
} Rank;

/* Writes the next `count` rows of the matrix, one after the other: each as
   likely to be any of them, or any mixture. */
typedef void NextRows(void *more, int count, real *rows);

/* Of a matrix of n columns and at most `most` rows. Pivots up to `rounding` may
   be taken for 0. */
Rank matrix_rank(NextRows *next, void *more, int most, int n, double rounding);

/* What the rounding of a's entries can make of a pivot that is 0. */
#define RANK_ROUNDING (sizeof(real) == 4 ? 1e-4 : 1e-13)

#endif
