/* rank.h - the rank of a large matrix.

   Gaussian elimination on random rows, a panel at a time. Once many new rows
   are combinations of earlier ones, up to rounding, all are, and no more are
   needed. Large pivots are taken first; small ones wait until no larger one
   arrives. So the pivots fall as the singular values do, and a gap between
   singular values is a gap between pivots. (The eigenvalues of A' A would lose
   every singular value below 1e-8.) */
#ifndef RANK_H
#define RANK_H

#include <qkv/real.h>

/* A rank, and the gap that shows it, relative to the largest pivot. */
typedef struct Rank {
    int rank; /* -1: no gap separates the pivots that are 0 from the others */
    double last; /* the smallest pivot that is counted */
    double next; /* the largest entry left when the counted ones are subtracted
                  */
} Rank;

/* Writes the next `count` rows of the matrix, one after the other, in random
   order, or random combinations of its rows. */
typedef void NextRows(void *more, int count, real *rows);

/* The rank of a matrix of n columns, from at most `most` rows. Pivots up to
   `rounding` times the largest are taken for 0. */
Rank matrix_rank(NextRows *next, void *more, int most, int n, double rounding);

/* The largest share that a pivot of 0 can have because entries are rounded. */
#define RANK_ROUNDING (sizeof(real) == 4 ? 1e-4 : 1e-13)

#endif
