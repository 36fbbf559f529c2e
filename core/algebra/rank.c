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

/* A panel has up to PANEL rows of A, a column each. Their first `rank` entries
   are those of U; the others are what is left of the row when the pivots so far
   are subtracted. */
typedef struct Elimination {
    int n, rank;
    int *order;           /* entry i is column order[i] of A */
    real *lower, *panel;  /* L without its 1s (n x n); (n x PANEL) */
    double *pivot;        /* those so far, and */
    double largest, rest; /* the largest; and the largest entry of the rows */
    int idle;             /* since the last pivot, which were only rounding */
    bool finite;
} Elimination;

static real *
panel_row(const Elimination *e, int i)
{
    return e->panel + (size_t)i * PANEL;
}

static real *
lower_row(const Elimination *e, int i)
{
    return e->lower + (size_t)i * (size_t)e->n;
}

/* to_j += factor x_j, of n entries. */
static void
row_add(real *to, real factor, const real *x, int n)
{
    for (int j = 0; j < n; j++)
        to[j] += factor * x[j];
}

/* Subtracts the pivots so far from `count` new rows: solves L X = P by blocks,
   so that nearly all of the work is a product of matrices. */
static void
subtract_pivots(const Elimination *e, int count)
{
    real down[PANEL * PANEL];
    for (int at = 0, wide; at < e->rank; at += wide) {
        wide = e->rank - at < PANEL ? e->rank - at : PANEL;
        int below = at + wide, rest = e->n - below;
        for (int i = 0; i < wide; i++) {
            real *x = panel_row(e, at + i);
            for (int j = 0; j < i; j++)
                row_add(x, -lower_row(e, at + i)[at + j], panel_row(e, at + j),
                        count);
            for (int j = 0; j < count; j++)
                down[i * count + j] = -x[j];
        }
        if (rest)
            multiply_add(matrix(panel_row(e, below), rest, count, PANEL),
                         matrix(lower_row(e, below) + at, rest, wide, e->n),
                         matrix(down, wide, count, count));
    }
}

/* Asks for `count` more rows of A. */
static void
next_panel(Elimination *e, NextRows *next, void *more, int count)
{
    real *rows = allocate((size_t)count * (size_t)e->n, sizeof *rows);
    next(more, count, rows);
    for (int i = 0; i < e->n; i++)
        for (int j = 0; j < count; j++) {
            real x = rows[(size_t)j * (size_t)e->n + (size_t)e->order[i]];
            e->finite &= isfinite(x) != 0;
            panel_row(e, i)[j] = x;
        }
    free(rows);
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

/* Makes row `at` of the panel's, the largest entry of its column j, the next
   pivot; and subtracts it from the columns after that. */
static void
add_pivot(Elimination *e, int at, int j, int count)
{
    int k = e->rank++, column = e->order[k];
    real *top = panel_row(e, k);
    swap(top, panel_row(e, at), count);
    swap(lower_row(e, k), lower_row(e, at), k);
    e->order[k] = e->order[at];
    e->order[at] = column;
    e->pivot[k] = fabs((double)top[j]);
    e->largest = fmax(e->largest, e->pivot[k]);
    for (int i = k + 1; i < e->n; i++) {
        real *x = panel_row(e, i), factor = x[j] / top[j];
        lower_row(e, i)[k] = factor;
        row_add(x + j + 1, -factor, top + j + 1, count - j - 1);
    }
    e->idle = 0;
    e->rest = 0;
}

/* Takes a pivot from each row of A in the panel that is not only rounding. */
static void
eliminate(Elimination *e, int count, double rounding)
{
    for (int j = 0; j < count && e->rank < e->n; j++) {
        int at = e->rank;
        for (int i = at + 1; i < e->n; i++)
            if (fabs(panel_row(e, i)[j]) > fabs(panel_row(e, at)[j]))
                at = i;
        double size = fabs((double)panel_row(e, at)[j]);
        if (size > rounding * e->largest) {
            add_pivot(e, at, j, count);
        } else {
            e->rest = fmax(e->rest, size);
            e->idle++;
        }
    }
}

static int
falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Finds the widest gap between pivots, of which what is below it may be
   rounding only. */
static Rank
find_gap(Elimination *e, double rounding)
{
    Rank r = {.rank = e->rank ? -1 : 0};
    double floor = e->largest * (sizeof(real) == 4 ? FLT_EPSILON : DBL_EPSILON);
    double rest = e->rest, widest = 100; /* a gap is wider than that */
    qsort(e->pivot, (size_t)e->rank, sizeof *e->pivot, falling);
    for (int i = e->rank; i > 0 && rest <= rounding * e->largest; i--) {
        double gap = e->pivot[i - 1] / fmax(rest, floor);
        if (gap > widest) {
            widest = gap;
            r = (Rank){i, e->pivot[i - 1] / e->largest, rest / e->largest};
        }
        rest = fmax(rest, e->pivot[i - 1]);
    }
    return r;
}

/* Goes on until a panel of rows, and an eighth more of those that were needed,
   is nothing but rounding, or all are asked for. */
Rank
matrix_rank(NextRows *next, void *more, int most, int n, double rounding)
{
    size_t wide = (size_t)n;
    Elimination e = {.n = n, .finite = true};
    e.order = allocate(wide, sizeof *e.order);
    e.pivot = allocate(wide, sizeof *e.pivot);
    e.lower = allocate(wide * wide, sizeof *e.lower);
    e.panel = allocate(wide * PANEL, sizeof *e.panel);
    for (int i = 0; i < n; i++)
        e.order[i] = i;
    for (int asked = 0, count;
         asked < most && e.rank < n && e.idle < PANEL + e.rank / 8;
         asked += count) {
        count = most - asked < PANEL ? most - asked : PANEL;
        next_panel(&e, next, more, count);
        eliminate(&e, count, rounding);
    }
    Rank r = {.rank = -1};
    if (e.finite)
        r = find_gap(&e, 100 * rounding);
    free(e.order);
    free(e.pivot);
    free(e.lower);
    free(e.panel);
    return r;
}
