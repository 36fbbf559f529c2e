/* rank.c - the rank of a large matrix.

   A P = L U with the columns of A permuted, where A may be asked for more rows.
   Here all is transposed: a row of A is a column of what is eliminated. A pivot
   is chosen among all entries of the rows in the pool. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/rank.h"
#include "heart/fail.h"
#include "heart/matrix.h"

enum { PANEL = 64 };

/* A pivot is at least that share of the largest entry in the pool. */
#define LEVEL 0.3

/* Rows of A in a pool, a column each, of which the first `rank` entries are
   those of U, and the others what is left of the row when the pivots so far are
   subtracted. */
typedef struct Elimination {
    int n, rank, waiting;
    int *order;      /* entry i is column order[i] of A */
    real *lu, *pool; /* (n x n), L without its 1s; (n x 2 PANEL) */
    double *pivot, largest;
    int idle;    /* rows since the last pivot that were nothing but rounding, */
    double rest; /* and how large an entry that was at most */
    bool finite;
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

/* to_j += factor x_j, of n entries. */
static void
row_add(real *to, real factor, const real *x, int n)
{
    for (int j = 0; j < n; j++)
        to[j] += factor * x[j];
}

/* Subtracts the pivots so far from the last `count` rows of the pool: solves
   L X = P by blocks. */
static void
subtract_pivots(const Elimination *e, int count)
{
    int first = e->waiting - count;
    real down[PANEL * PANEL];
    for (int at = 0, wide; at < e->rank; at += wide) {
        wide = e->rank - at < PANEL ? e->rank - at : PANEL;
        int rest = e->n - at - wide;
        for (int i = 0; i < wide; i++) {
            real *xi = pool_row(e, at + i) + first;
            for (int j = 0; j < i; j++)
                row_add(xi, -lu_row(e, at + i)[at + j],
                        pool_row(e, at + j) + first, count);
            for (int j = 0; j < count; j++)
                down[i * count + j] = -xi[j];
        }
        if (rest)
            multiply_add(matrix(pool_row(e, at + wide) + first, rest, count,
                                (ptrdiff_t)2 * PANEL),
                         matrix(lu_row(e, at + wide) + at, rest, wide, e->n),
                         matrix(down, wide, count, count));
    }
}

/* Asks for more rows of A, which join the pool. */
static void
ask(Elimination *e, NextRows *next, void *more, int count)
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

/* Brings the largest entry that is left of the pool, after `taken` pivots, to
   the place of the next one; returns how large it is. */
static double
find_pivot(Elimination *e, int taken)
{
    int row = e->rank, col = taken;
    double largest = 0;
    for (int i = e->rank; i < e->n; i++)
        for (int j = taken; j < e->waiting; j++) {
            double x = fabs((double)pool_row(e, i)[j]);
            if (x > largest) {
                largest = x;
                row = i;
                col = j;
            }
        }
    for (int i = 0; i < e->n; i++)
        swap(pool_row(e, i) + taken, pool_row(e, i) + col, 1);
    swap(pool_row(e, e->rank), pool_row(e, row), e->waiting);
    swap(lu_row(e, e->rank), lu_row(e, row), e->rank);
    int column = e->order[row];
    e->order[row] = e->order[e->rank];
    e->order[e->rank] = column;
    return largest;
}

/* Takes pivots of the pool, the largest first, which become columns of L and U.
   Where the next is far smaller than the first the rest waits for more rows,
   and where it is rounding the rest is dropped. */
static void
take_pivots(Elimination *e, double rounding)
{
    double first = 0, size;
    int taken = 0;
    for (; taken < e->waiting && e->rank < e->n; taken++) {
        size = find_pivot(e, taken);
        first = fmax(first, size);
        e->largest = fmax(e->largest, size);
        if (!(size > rounding * e->largest)) {
            e->rest = fmax(e->rest, size);
            e->idle += e->waiting - taken;
            e->waiting = taken;
        }
        if (taken == e->waiting || size < LEVEL * first)
            break;
        const real *top = pool_row(e, e->rank) + taken;
        for (int i = 0; i < e->n; i++) {
            real *x = pool_row(e, i) + taken;
            if (i > e->rank) {
                x[0] /= top[0];
                row_add(x + 1, -x[0], top + 1, e->waiting - taken - 1);
            }
            lu_row(e, i)[e->rank] = x[0];
        }
        e->pivot[e->rank++] = size;
        e->idle = 0;
    }
    e->waiting -= taken;
    for (int i = 0; i < e->n; i++)
        memmove(pool_row(e, i), pool_row(e, i) + taken,
                (size_t)e->waiting * sizeof(real));
}

/* Goes on until a panel of rows, and an eighth more of those that were needed,
   is nothing but rounding, or all are asked for. */
static void
eliminate(Elimination *e, NextRows *next, void *more, int most, double rounding)
{
    while (e->rank < e->n && e->idle < PANEL + e->rank / 8 &&
           (e->waiting || most > 0)) {
        int fresh = most < PANEL ? most : PANEL;
        if (fresh)
            ask(e, next, more, fresh);
        most -= fresh;
        do
            take_pivots(e, rounding);
        while (e->waiting > PANEL && e->rank < e->n);
    }
}

/* Finds the gap: where the smallest pivot that is counted is farthest above the
   largest that is not, which may be rounding only. */
static void
find_gap(Rank *r, double *size, int n, double rest, double largest,
         double rounding)
{
    double widest = 100; /* a gap is wider than that */
    double floor = largest * (sizeof(real) == 4 ? FLT_EPSILON : DBL_EPSILON);
    r->rank = largest > 0 ? -1 : 0;
    for (int i = 1; i < n; i++) /* let them fall */
        size[i] = fmin(size[i], size[i - 1]);
    for (int i = n; i > 0 && rest <= rounding * largest; i--) {
        double gap = size[i - 1] / fmax(rest, floor);
        if (gap > widest) {
            widest = gap;
            r->rank = i;
            r->last = size[i - 1] / largest;
            r->next = rest / largest;
        }
        rest = fmax(rest, size[i - 1]);
    }
}

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
        find_gap(&r, e.pivot, e.rank, e.rest, e.largest, 100 * rounding);
    free(e.order);
    free(e.pivot);
    free(e.lu);
    free(e.pool);
    return r;
}
