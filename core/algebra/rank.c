/* rank.c - the rank of a large matrix.

   A P = L U, with the columns of A permuted, while the rows of A arrive a panel
   at a time. Everything is stored transposed: a row of A is a column of the
   pool. A pivot is chosen among all entries of the rows in the pool. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/rank.h"
#include "heart/fail.h"
#include "heart/matrix.h"

enum { PANEL = 64 };

/* A pivot is at least this share of the largest entry that the pool had. */
#define LEVEL 0.3

/* The state of an elimination. `waiting` rows of A are in the pool, a column
   each: its first `rank` entries belong to U, the others are left of the row
   after the pivots so far were subtracted. */
typedef struct Elimination {
    int n, rank, waiting;
    int *order;     /* entry i is column order[i] of A */
    real *lu;       /* (n x n), L without its 1s */
    real *pool;     /* (n x 2 PANEL) */
    double *pivot;  /* the absolute values of the pivots so far */
    double largest; /* the largest of them */
    int idle;       /* rows since the last pivot that were only rounding */
    double rest;    /* the largest entry that was taken for rounding */
    bool finite;    /* are all entries of A finite so far? */
} Elimination;

static real *
pool_row(const Elimination *e, int i)
{
    return e->pool + (size_t)i * 2 * PANEL;
}

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

/* Subtracts pivots at .. at + count - 1 from the pool's rows from `first` on,
   `fresh` of them: solves L X = P for this block, then subtracts L X from the
   entries below it. */
static void
subtract_block(const Elimination *e, int at, int count, int first, int fresh)
{
    int rest = e->n - at - count;
    real minus_x[PANEL * PANEL];
    for (int i = 0; i < count; i++) {
        real *x = pool_row(e, at + i) + first;
        for (int j = 0; j < i; j++)
            row_add(x, -lu_row(e, at + i)[at + j], pool_row(e, at + j) + first,
                    fresh);
        for (int j = 0; j < fresh; j++)
            minus_x[i * fresh + j] = -x[j];
    }
    if (rest)
        multiply_add(matrix(pool_row(e, at + count) + first, rest, fresh,
                            (ptrdiff_t)2 * PANEL),
                     matrix(lu_row(e, at + count) + at, rest, count, e->n),
                     matrix(minus_x, count, fresh, fresh));
}

/* Subtracts the pivots so far from the last `fresh` rows of the pool. */
static void
subtract_pivots(const Elimination *e, int fresh)
{
    for (int at = 0; at < e->rank; at += PANEL) {
        int left = e->rank - at;
        subtract_block(e, at, left < PANEL ? left : PANEL, e->waiting - fresh,
                       fresh);
    }
}

/* Adds the next `count` rows of A to the pool. */
static void
add_rows(Elimination *e, NextRows *next, void *more, int count)
{
    real *rows = allocate((size_t)count * (size_t)e->n, sizeof *rows);
    next(more, count, rows);
    for (int i = 0; i < e->n; i++)
        for (int j = 0; j < count; j++) {
            real x = rows[(size_t)j * (size_t)e->n + (size_t)e->order[i]];
            e->finite &= isfinite(x) != 0;
            pool_row(e, i)[e->waiting + j] = x;
        }
    free(rows);
    e->waiting += count;
    subtract_pivots(e, count);
}

static void
swap(real *a, real *b, int count)
{
    for (int i = 0; i < count; i++) {
        real old = a[i];
        a[i] = b[i];
        b[i] = old;
    }
}

/* The largest entry of the pool from row e->rank and column `taken` on. */
typedef struct Pivot {
    int row, col;
    double size; /* its absolute value */
} Pivot;

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

/* Moves a pivot to row e->rank and column `taken`, by swapping columns, which
   are rows of A, and rows, which are columns of A. */
static void
move_pivot(Elimination *e, int taken, Pivot p)
{
    for (int i = 0; i < e->n; i++)
        swap(pool_row(e, i) + taken, pool_row(e, i) + p.col, 1);
    swap(pool_row(e, e->rank), pool_row(e, p.row), e->waiting);
    swap(lu_row(e, e->rank), lu_row(e, p.row), e->rank);
    int column = e->order[p.row];
    e->order[p.row] = e->order[e->rank];
    e->order[e->rank] = column;
}

/* Takes a pivot, in column `taken` of the pool: stores the column of L and U
   that it makes, and subtracts its multiples from the rows that wait. */
static void
take_pivot(Elimination *e, int taken, Pivot p)
{
    move_pivot(e, taken, p);
    const real *top = pool_row(e, e->rank) + taken;
    for (int i = 0; i < e->n; i++) {
        real *x = pool_row(e, i) + taken;
        if (i > e->rank) {
            x[0] /= top[0];
            row_add(x + 1, -x[0], top + 1, e->waiting - taken - 1);
        }
        lu_row(e, i)[e->rank] = x[0];
    }
    e->pivot[e->rank] = p.size;
    e->rank++;
    e->idle = 0;
}

/* Drops the rows from `taken` on, in which only rounding is left: no entry is
   larger than `size`. */
static void
drop_rounding(Elimination *e, int taken, double size)
{
    e->rest = fmax(e->rest, size);
    e->idle += e->waiting - taken;
    e->waiting = taken;
}

/* Takes pivots of the pool, the largest first. If the next one is far smaller
   than the first, the rows that are left wait for more rows. If it is only
   rounding, they are dropped. */
static void
take_pivots(Elimination *e, double rounding)
{
    double first = 0;
    int taken = 0;
    while (taken < e->waiting && e->rank < e->n) {
        Pivot p = find_pivot(e, taken);
        first = fmax(first, p.size);
        e->largest = fmax(e->largest, p.size);
        bool counts = p.size > rounding * e->largest; /* false for NaN, too */
        if (!counts)
            drop_rounding(e, taken, p.size);
        if (!counts || p.size < LEVEL * first)
            break;
        take_pivot(e, taken, p);
        taken++;
    }
    e->waiting -= taken;
    for (int i = 0; i < e->n; i++)
        memmove(pool_row(e, i), pool_row(e, i) + taken,
                (size_t)e->waiting * sizeof(real));
}

/* Is the rank known? It is if a panel of rows, and an eighth more of as many as
   were needed so far, brought only rounding. */
static bool
is_settled(const Elimination *e)
{
    return e->rank == e->n || e->idle >= PANEL + e->rank / 8;
}

/* Adds rows and takes pivots until the rank is known, or `most` rows are used
   up. */
static void
eliminate(Elimination *e, NextRows *next, void *more, int most, double rounding)
{
    int left = most;
    while (!is_settled(e) && (e->waiting > 0 || left > 0)) {
        int fresh = left < PANEL ? left : PANEL;
        if (fresh > 0)
            add_rows(e, next, more, fresh);
        left -= fresh;
        take_pivots(e, rounding);
        while (e->waiting > PANEL && e->rank < e->n)
            take_pivots(e, rounding); /* until a panel has room in the pool */
    }
}

/* Finds the widest gap between the pivots, made to fall: pivots above it are
   counted in the rank, those below it may be rounding, of which e->rest was the
   largest. */
static Rank
find_gap(const Elimination *e, double rounding)
{
    double widest = 100; /* a gap is at least this wide */
    double floor = e->largest * (sizeof(real) == 4 ? FLT_EPSILON : DBL_EPSILON);
    double next = e->rest; /* the largest entry that is not counted */
    Rank r = {.rank = e->largest > 0 ? -1 : 0};
    for (int i = 1; i < e->rank; i++)
        e->pivot[i] = fmin(e->pivot[i], e->pivot[i - 1]);
    for (int i = e->rank; i > 0 && next <= rounding * e->largest; i--) {
        double last = e->pivot[i - 1], gap = last / fmax(next, floor);
        if (gap > widest) {
            widest = gap;
            r = (Rank){i, last / e->largest, next / e->largest};
        }
        next = fmax(next, last);
    }
    return r;
}

/* Eliminates as many rows as it takes, and reads the rank from the gap between
   the pivots. */
Rank
matrix_rank(NextRows *next, void *more, int most, int n, double rounding)
{
    size_t wide = (size_t)n;
    Elimination e = {.n = n, .finite = true};
    e.order = allocate(wide, sizeof *e.order);
    e.pivot = allocate(wide, sizeof *e.pivot);
    e.lu = allocate(wide * wide, sizeof *e.lu);
    e.pool = allocate(wide * 2 * PANEL, sizeof *e.pool);
    for (int i = 0; i < n; i++)
        e.order[i] = i;
    eliminate(&e, next, more, most, rounding);
    Rank r = {.rank = -1};
    if (e.finite)
        r = find_gap(&e, 100 * rounding);
    free(e.order);
    free(e.pivot);
    free(e.lu);
    free(e.pool);
    return r;
}
