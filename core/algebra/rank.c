/* rank.c - the rank of a large matrix.

   A P = L U with the columns of A permuted, by partial pivoting, where A may be
   asked for more rows. Here all is transposed: a row of A is a column of what
   is eliminated, so that a pivot is chosen among the n entries of one row. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/rank.h"
#include "heart/fail.h"
#include "heart/matrix.h"

enum { PANEL = 64 };

/* A pivot is at least that share of the largest that waits. */
#define LEVEL 0.3

/* Rows of A in a pool, a column each, of which the first `rank` entries are
   those of U, and the others what is left of the row when the pivots so far are
   subtracted. */
typedef struct Elimination {
    int n, rank, waiting, asked; /* asked: rows of A so far */
    int *order;                  /* entry i is column order[i] of A */
    real *lu, *pool;             /* (n x n), L without its 1s; (n x 2 PANEL) */
    double *pivot, level, largest;
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

/* Subtracts the pivots so far from the last `count` in the pool: solves L X = P
   by blocks. */
static void
subtract_pivots(const Elimination *e, int count)
{
    real down[PANEL * PANEL], *x = e->pool + e->waiting - count;
    ptrdiff_t row = (ptrdiff_t)2 * PANEL;
    for (int at = 0, wide; at < e->rank; at += wide) {
        wide = e->rank - at < PANEL ? e->rank - at : PANEL;
        int rest = e->n - at - wide;
        for (int i = 0; i < wide; i++) {
            real *xi = x + (size_t)(at + i) * 2 * PANEL;
            for (int j = 0; j < i; j++)
                row_add(xi, -lu_row(e, at + i)[at + j],
                        x + (size_t)(at + j) * 2 * PANEL, count);
            for (int j = 0; j < count; j++)
                down[i * count + j] = -xi[j];
        }
        if (rest)
            multiply_add(matrix(x + (at + wide) * row, rest, count, row),
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
    e->asked += count;
    subtract_pivots(e, count);
}

/* The entry of column j of the pool, after those of U, that is largest. */
static int
largest_entry(const Elimination *e, int j)
{
    int at = e->rank;
    double largest = -1;
    for (int i = e->rank; i < e->n; i++) {
        double x = fabs((double)pool_row(e, i)[j]);
        if (x > largest) {
            largest = x;
            at = i;
        }
    }
    return at;
}

static double
largest_waiting(const Elimination *e)
{
    double largest = 0;
    for (int j = 0; j < e->waiting && e->rank < e->n; j++) {
        double x = (double)pool_row(e, largest_entry(e, j))[j];
        largest = fmax(largest, fabs(x));
    }
    return largest;
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

/* The first in the pool become columns of L and U, and leave it. */
static void
leave_pool(Elimination *e, int count)
{
    size_t left = (size_t)(e->waiting - count) * sizeof(real);
    for (int i = 0; i < e->n; i++) {
        real *x = pool_row(e, i);
        memcpy(lu_row(e, i) + e->rank - count, x, (size_t)count * sizeof *x);
        memmove(x, x + count, left);
    }
    e->waiting -= count;
}

/* Takes all pivots of the pool that are at least `level`; returns how many. */
static int
take_pivots(Elimination *e, double level)
{
    int j = 0, first = e->rank;
    for (int end = e->waiting; j < end && e->rank < e->n;) {
        int best = largest_entry(e, j), k = e->rank, column = e->order[k];
        real *top = pool_row(e, k), *found = pool_row(e, best);
        double size = fabs((double)found[j]);
        if (!(size >= level)) { /* it waits, as the last */
            end--;
            for (int i = 0; i < e->n; i++)
                swap(pool_row(e, i) + j, pool_row(e, i) + end, 1);
            continue;
        }
        swap(top, found, e->waiting);
        swap(lu_row(e, k), lu_row(e, best), first);
        e->order[k] = e->order[best];
        e->order[best] = column;
        for (int i = k + 1; i < e->n; i++) {
            real *x = pool_row(e, i) + j;
            x[0] /= top[j];
            row_add(x + 1, -x[0], top + j + 1, e->waiting - j - 1);
        }
        e->pivot[e->rank++] = size;
        j++;
    }
    leave_pool(e, j);
    return j;
}

/* Takes what waits down to rounding, which is dropped: pivots far below the
   largest only where there are no others, `some` that were large before. */
static void
take_small(Elimination *e, bool some, double rounding)
{
    while (!some || e->waiting > PANEL) {
        double size = largest_waiting(e);
        e->largest = fmax(e->largest, size);
        if (!(size > rounding * e->largest)) {
            e->rest = fmax(e->rest, size);
            e->idle += e->waiting;
            e->waiting = 0;
            return;
        }
        e->level = LEVEL * size;
        take_pivots(e, e->level);
        some = true;
        e->idle = 0;
    }
}

/* Goes on until a panel of rows, and an eighth more of those that were needed,
   is nothing but rounding, or all are asked for. */
static void
eliminate(Elimination *e, NextRows *next, void *more, int most, double rounding)
{
    while (e->rank < e->n && e->idle < PANEL + e->rank / 8 &&
           (e->waiting || e->asked < most)) {
        int left = most - e->asked, fresh = left < PANEL ? left : PANEL;
        if (fresh)
            ask(e, next, more, fresh);
        bool some = e->level > 0 && take_pivots(e, e->level) > 0;
        take_small(e, some, rounding);
    }
}

/* Finds the gap: where the smallest that is counted is farthest above the
   largest that is not, which may be rounding only. */
static void
find_gap(Rank *r, const double *size, int n, double rest, double rounding)
{
    double *least = allocate((size_t)n + 1, sizeof *least);
    double largest = rest, widest = 100; /* a gap is wider than that */
    least[0] = INFINITY;
    for (int i = 0; i < n; i++) {
        least[i + 1] = fmin(least[i], size[i]);
        largest = fmax(largest, size[i]);
    }
    r->rank = largest > 0 ? -1 : 0;
    double floor = largest * (sizeof(real) == 4 ? FLT_EPSILON : DBL_EPSILON);
    for (int i = n; i > 0 && rest <= rounding * largest; i--) {
        double gap = least[i] / fmax(rest, floor);
        if (gap > widest) {
            widest = gap;
            r->rank = i;
            r->last = least[i] / largest;
            r->next = rest / largest;
        }
        rest = fmax(rest, size[i - 1]);
    }
    free(least);
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
        find_gap(&r, e.pivot, e.rank, e.rest, 100 * rounding);
    free(e.order);
    free(e.pivot);
    free(e.lu);
    free(e.pool);
    return r;
}
