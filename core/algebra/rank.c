/* rank.c - the rank of a large matrix A, whose rows arrive a panel at a time.

   The elimination works on T = A', which has the same rank: the rows of A
   arrive as columns of T. With the rows of T in a suitable order, the columns
   that gave a pivot are L U.

   The pool holds the columns of T that have arrived and are not yet eliminated.
   With r pivots taken so far, the next pivot is the largest entry of the pool
   in the rows from r on. Its row is swapped with row r. Its column leaves the
   pool and becomes column r of L and U. A multiple of it is subtracted from
   each column that stays. A column in which only rounding is left is dropped.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/rank.h"
#include "heart/fail.h"
#include "heart/matrix.h"

/* PANEL columns, a panel, are added to the pool at a time. With 64, most of the
   work is in products of (64 x 64) blocks. The pool has space for two panels.
 */
enum { PANEL = 64, POOL_COLUMNS = 2 * PANEL };

/* A pivot waits for the next panel, which may bring larger ones, if it is
   smaller than this share of the largest that take_pivots found in the same
   call. */
#define LARGE_ENOUGH 0.3

/* A gap between two pivots shows the rank only if the first is more than this
   many times as large as the second. */
#define LEAST_GAP 100

/* Elimination may enlarge rounding errors by this factor. */
#define ENLARGED 100

typedef struct Elimination {
    int n;          /* the number of rows of T */
    int rank;       /* the number of pivots taken so far */
    int waiting;    /* the number of columns in the pool */
    int *order;     /* row i of the pool and of L is row order[i] of T */
    real *lu;       /* (n x n): U on and above the diagonal, L below it; the
                       diagonal of L, which is all 1s, is not stored */
    real *pool;     /* (n x POOL_COLUMNS), with all pivots so far subtracted */
    double *pivot;  /* the absolute values of the pivots, as taken */
    double largest; /* the largest entry so far that could become a pivot */
    int idle;       /* columns dropped since the latest pivot */
    double rest;    /* the largest entry that was dropped */
    bool finite;    /* whether all entries of A so far have been finite */
} Elimination;

/* Row i of the pool. */
static real *
pool_row(const Elimination *e, int i)
{
    return e->pool + (size_t)i * POOL_COLUMNS;
}

/* Row i of L, up to the diagonal, and of U from there on. */
static real *
lu_row(const Elimination *e, int i)
{
    return e->lu + (size_t)i * (size_t)e->n;
}

/* to_j += factor x_j, for n entries. */
static void
row_add(real *to, real factor, const real *x, int n)
{
    for (int j = 0; j < n; j++)
        to[j] += factor * x[j];
}

/* Subtracts a block of pivots from the last `columns` columns of the pool. The
   block has `pivots` pivots, at most PANEL, from number first_pivot on. In the
   rows of these pivots, the columns are P, and L is D, a triangle with 1s on
   its diagonal. In the rows below, L is B. P becomes the X that solves D X = P,
   and then B X is subtracted from the rows below. */
static void
subtract_block(const Elimination *e, int first_pivot, int pivots, int columns)
{
    int first_column = e->waiting - columns;
    int below = first_pivot + pivots; /* the first row below the pivots */
    int rows_below = e->n - below;
    real minus_x[PANEL * PANEL]; /* (pivots x columns) */
    for (int i = 0; i < pivots; i++) {
        real *x = pool_row(e, first_pivot + i) + first_column;
        const real *d = lu_row(e, first_pivot + i) + first_pivot;
        for (int above = 0; above < i; above++) { /* rows of X, found already */
            const real *x_above =
                pool_row(e, first_pivot + above) + first_column;
            row_add(x, -d[above], x_above, columns);
        }
        for (int j = 0; j < columns; j++)
            minus_x[i * columns + j] = -x[j];
    }
    if (rows_below == 0)
        return;
    Matrix rest = matrix(pool_row(e, below) + first_column, rows_below, columns,
                         POOL_COLUMNS);
    Matrix b = matrix(lu_row(e, below) + first_pivot, rows_below, pivots, e->n);
    multiply_add(rest, b, matrix(minus_x, pivots, columns, columns));
}

/* Subtracts all pivots so far from the last `fresh` columns of the pool, which
   are new. */
static void
subtract_pivots(const Elimination *e, int fresh)
{
    for (int pivot = 0; pivot < e->rank; pivot += PANEL) {
        int left = e->rank - pivot; /* pivots from this one on */
        subtract_block(e, pivot, left < PANEL ? left : PANEL, fresh);
    }
}

/* Adds the next `count` rows of A, which `next` writes, to the pool. Each
   becomes a column, whose entries are in the present order of T's rows. Then
   all pivots so far are subtracted from these columns. */
static void
add_rows(Elimination *e, NextRows *next, void *more, int count)
{
    real *rows = allocate(matrix_entries(count, e->n), sizeof *rows);
    next(more, count, rows);
    for (int k = 0; k < count; k++) {
        const real *row_of_a = rows + (size_t)k * (size_t)e->n;
        int column = e->waiting + k; /* of the pool */
        for (int i = 0; i < e->n; i++) {
            real x = row_of_a[e->order[i]];
            if (!isfinite(x))
                e->finite = false;
            pool_row(e, i)[column] = x;
        }
    }
    free(rows);
    e->waiting += count;
    subtract_pivots(e, count);
}

/* Swaps `count` entries of two rows. */
static void
swap_entries(real *a, real *b, int count)
{
    for (int i = 0; i < count; i++) {
        real old = a[i];
        a[i] = b[i];
        b[i] = old;
    }
}

/* An entry of the pool. */
typedef struct Pivot {
    int row, col;
    double size; /* its absolute value */
} Pivot;

/* The largest entry of the pool that may be the next pivot. The first e->rank
   rows have a pivot already, and the first `taken` columns became pivots. */
static Pivot
find_pivot(const Elimination *e, int taken)
{
    Pivot p = {.row = e->rank, .col = taken};
    for (int i = e->rank; i < e->n; i++)
        for (int j = taken; j < e->waiting; j++) {
            double size = fabs((double)pool_row(e, i)[j]);
            if (size > p.size)
                p = (Pivot){i, j, size};
        }
    return p;
}

/* Swaps rows, and columns of the pool, so that a pivot gets to row e->rank and
   to column `taken`. */
static void
move_pivot(Elimination *e, int taken, Pivot p)
{
    const int one_entry = 1;
    for (int i = 0; i < e->n; i++)
        swap_entries(pool_row(e, i) + taken, pool_row(e, i) + p.col, one_entry);
    swap_entries(pool_row(e, e->rank), pool_row(e, p.row), e->waiting);
    swap_entries(lu_row(e, e->rank), lu_row(e, p.row), e->rank);
    int row = e->order[p.row];
    e->order[p.row] = e->order[e->rank];
    e->order[e->rank] = row;
}

/* Takes a pivot: moves it to column `taken` of the pool, stores that column in
   L and U, and subtracts multiples of it from the columns after it. */
static void
take_pivot(Elimination *e, int taken, Pivot p)
{
    move_pivot(e, taken, p);
    int after = taken + 1; /* the first column after the pivot's */
    const real *pivot_row = pool_row(e, e->rank);
    for (int i = 0; i < e->n; i++) {
        real *row = pool_row(e, i);
        if (i > e->rank) { /* in L, the entry is divided by the pivot */
            row[taken] /= pivot_row[taken];
            row_add(row + after, -row[taken], pivot_row + after,
                    e->waiting - after);
        }
        lu_row(e, i)[e->rank] = row[taken];
    }
    e->pivot[e->rank] = p.size;
    e->rank++;
    e->idle = 0;
}

/* Takes pivots from the pool, the largest first, as long as they are
   LARGE_ENOUGH. Drops the remaining columns if they are only rounding. */
static void
take_pivots(Elimination *e)
{
    double first = 0; /* the size of the largest pivot in this call */
    int taken = 0;    /* the first columns of the pool, which became pivots */
    while (taken < e->waiting && e->rank < e->n) {
        Pivot p = find_pivot(e, taken);
        first = fmax(first, p.size);
        e->largest = fmax(e->largest, p.size);
        if (p.size <= RANK_ROUNDING * e->largest) { /* only rounding is left */
            e->rest = fmax(e->rest, p.size);
            e->idle += e->waiting - taken;
            e->waiting = taken; /* drops the columns that are left */
            break;
        }
        if (p.size < LARGE_ENOUGH * first)
            break; /* it waits for the next panel */
        take_pivot(e, taken, p);
        taken++;
    }
    e->waiting -= taken; /* the columns of the pivots leave the pool */
    for (int i = 0; i < e->n; i++)
        memmove(pool_row(e, i), pool_row(e, i) + taken,
                (size_t)e->waiting * sizeof(real));
}

/* The rank counts as known once this many columns were dropped since the latest
   pivot: a panel, and an eighth of the rank. */
static int
columns_to_believe(int rank)
{
    return PANEL + rank / 8;
}

/* Returns whether the rank is known. A rank of n cannot grow. */
static bool
is_settled(const Elimination *e)
{
    return e->rank == e->n || e->idle >= columns_to_believe(e->rank);
}

/* Adds rows of A and takes pivots until the rank is known. Gives up once the
   pool is empty and enough rows were added to make even a rank of n known. */
static void
eliminate(Elimination *e, NextRows *next, void *more)
{
    int left = e->n + columns_to_believe(e->n); /* rows that may be added */
    while (!is_settled(e) && (e->waiting > 0 || left > 0)) {
        int fresh = left < PANEL ? left : PANEL;
        if (fresh > 0)
            add_rows(e, next, more, fresh);
        left -= fresh;
        take_pivots(e);
        /* Take or drop columns until the next panel fits into the pool. */
        while (e->waiting > PANEL && e->rank < e->n)
            take_pivots(e);
    }
}

/* Finds the widest gap between two consecutive pivots or, after the last pivot,
   between it and the largest entry that was dropped. The rank is the number of
   pivots before the gap; it is 0 for a matrix of zeros. */
static Rank
find_gap(const Elimination *e)
{
    double epsilon = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    double most_rounding = ENLARGED * RANK_ROUNDING * e->largest;
    double least = e->largest * epsilon; /* so that no gap is infinite */
    double next = e->rest; /* the largest entry after the first `rank` pivots */
    double widest = LEAST_GAP;
    Rank r = {.rank = e->largest > 0 ? UNKNOWN_RANK : 0};
    for (int i = 1; i < e->rank; i++) /* let no pivot exceed an earlier one */
        e->pivot[i] = fmin(e->pivot[i], e->pivot[i - 1]);
    for (int rank = e->rank; rank > 0; rank--) {
        double last = e->pivot[rank - 1];
        double gap = last / fmax(next, least);
        if (next > most_rounding) /* what comes after the gap is no rounding */
            break;
        if (gap > widest) {
            widest = gap;
            r = (Rank){rank, last / e->largest, next / e->largest};
        }
        next = fmax(next, last);
    }
    return r;
}

Rank
matrix_rank(NextRows *next, void *more, int n)
{
    Elimination e = {.n = n, .finite = true};
    Rank r = {.rank = UNKNOWN_RANK};
    e.order = allocate((size_t)n, sizeof *e.order);
    e.pivot = allocate((size_t)n, sizeof *e.pivot);
    e.lu = allocate((size_t)n * (size_t)n, sizeof *e.lu);
    e.pool = allocate((size_t)n * POOL_COLUMNS, sizeof *e.pool);
    for (int i = 0; i < n; i++)
        e.order[i] = i;
    eliminate(&e, next, more);
    if (e.finite)
        r = find_gap(&e);
    free(e.order);
    free(e.pivot);
    free(e.lu);
    free(e.pool);
    return r;
}
