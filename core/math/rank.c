/* rank.c - the rank of a large matrix, and its null space. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "math/matrix.h"
#include "math/random.h"
#include "math/rank.h"
#include "math/rows.h"

enum { ROUNDS = 4, PANEL = 64, STEPS = 60 };

/* A singular value below that, beside the largest, is said to be faint. */
#define FAINT 1e-5

/* An orthogonal matrix that mixes all columns with all others: signs, a random
   order, and a Hadamard transform of the first columns, then of the last. */
typedef struct Mixing {
    int n, power; /* the largest power of 2 up to n */
    int *order[ROUNDS];
    real *sign[ROUNDS];
} Mixing;

static Mixing
mixing_of(int n)
{
    Mixing x = {.n = n, .power = 1};
    Random r = random_stream((uint64_t)n, "mixing");
    while (2 * x.power <= n)
        x.power *= 2;
    for (int i = 0; i < ROUNDS; i++) {
        x.order[i] = allocate((size_t)n, sizeof *x.order[i]);
        x.sign[i] = allocate((size_t)n, sizeof *x.sign[i]);
        random_order(&r, x.order[i], n);
        for (int j = 0; j < n; j++)
            x.sign[i][j] = random_below(&r, 2) ? 1 : -1;
    }
    return x;
}

static void
mixing_free(Mixing *x)
{
    for (int i = 0; i < ROUNDS; i++) {
        free(x->order[i]);
        free(x->sign[i]);
    }
}

/* x (of n entries) times a Hadamard matrix, scaled to be orthogonal. */
static void
hadamard_transform(real *x, int n)
{
    for (int half = 1; half < n; half *= 2)
        for (int i = 0; i < n; i += 2 * half)
            for (int j = i; j < i + half; j++) {
                real a = x[j], b = x[j + half];
                x[j] = a + b;
                x[j + half] = a - b;
            }
    real size = 1 / (real)sqrt(n);
    for (int i = 0; i < n; i++)
        x[i] *= size;
}

/* Each row of a (m x n) times the mixing. */
static void
mix(const Mixing *x, real *a, int m)
{
    int n = x->n;
    real *old = allocate((size_t)n, sizeof *old);
    for (real *row = a; row < a + (size_t)m * (size_t)n; row += n)
        for (int i = 0; i < ROUNDS; i++) {
            memcpy(old, row, (size_t)n * sizeof *old);
            for (int j = 0; j < n; j++)
                row[j] = x->sign[i][j] * old[x->order[i][j]];
            hadamard_transform(i % 2 ? row + n - x->power : row, x->power);
        }
    free(old);
}

/* PANEL reflections at once: I - V T V', V' (count x rows) and -T (count x
   count, upper) row by row; they begin at row `first` (Schreiber and Van Loan
   1989). */
typedef struct Panel {
    int first, rows, count;
    real *v, *t;
} Panel;

/* The reflection that leaves of x (of n entries) its first one only: x becomes
   v, v[0] = 1. Returns the factor t of I - t v v', and what is left. */
static real
reflection(real *x, int n, real *left)
{
    real size = (real)sqrt((double)row_dot(x, x, n)), first = x[0];
    *left = first > 0 ? -size : size;
    if (size == 0)
        return 0;
    for (int i = 1; i < n; i++)
        x[i] /= first - *left;
    x[0] = 1;
    return (*left - first) / *left;
}

/* Reflects the columns of a panel, rows of p->v, one after the other, and
   writes what is left of them into a, the triangle R. */
static void
panel_reflect(Panel *p, Matrix a)
{
    for (int j = 0; j < p->count; j++) {
        real *v = p->v + j * p->rows + j, *tj = p->t + j, left;
        int n = p->rows - j, count = p->count;
        real t = reflection(v, n, &left);
        for (int i = j + 1; i < count; i++) {
            real *x = p->v + i * p->rows + j, f = t * row_dot(v, x, n);
            for (int k = 0; k < n; k++)
                x[k] -= f * v[k];
        }
        for (int i = 0; i < j; i++) /* what is above has its last value */
            a.at[i * a.down + j] = v[i - j];
        a.at[j * a.down + j] = left;
        memset(v - j, 0, (size_t)j * sizeof *v);
        for (int i = 0; i < j; i++) { /* column j of -T */
            real sum = 0;
            for (int k = i; k < j; k++)
                sum +=
                    p->t[i * count + k] * row_dot(p->v + k * p->rows + j, v, n);
            tj[i * count] = -t * sum;
        }
        tj[j * count] = -t;
    }
}

/* C -= V T' V' C, or with T, where the reflections go in the other order. */
static void
panel_apply(const Panel *p, Matrix c, bool back)
{
    size_t size = (size_t)p->count * (size_t)c.cols;
    real *both = allocate(2 * size, sizeof *both);
    Matrix vc = matrix(both, p->count, c.cols, c.cols);
    Matrix tvc = matrix(both + size, p->count, c.cols, c.cols);
    Matrix v = matrix(p->v, p->count, p->rows, p->rows);
    Matrix t = matrix(p->t, p->count, p->count, p->count);
    multiply(vc, v, c);
    multiply(tvc, back ? t : transposed(t), vc);
    multiply_add(c, transposed(v), tvc);
    free(both);
}

static int
panels_of(int n)
{
    return (n + PANEL - 1) / PANEL;
}

static void
panels_free(Panel *list, int n)
{
    for (int i = 0; i < panels_of(n); i++) {
        free(list[i].v);
        free(list[i].t);
    }
    free(list);
}

/* A = Q R for a (m x n, m >= n): a becomes R, whatever is below it. Returns Q,
   as panels of reflections. */
static Panel *
qr(Matrix a)
{
    Panel *list = allocate((size_t)panels_of(a.cols), sizeof *list);
    for (int at = 0; at < a.cols; at += PANEL) {
        Panel *p = &list[at / PANEL];
        int count = a.cols - at < PANEL ? a.cols - at : PANEL;
        *p = (Panel){.first = at, .rows = a.rows - at, .count = count};
        size_t rows = (size_t)p->rows;
        p->v = allocate((size_t)count * rows, sizeof *p->v);
        p->t = allocate((size_t)(count * count), sizeof *p->t);
        Matrix columns = part(a, at, p->rows, at, count);
        copy_matrix(p->v, transposed(columns), p->rows);
        panel_reflect(p, columns);
        int rest = a.cols - at - count;
        if (rest)
            panel_apply(p, part(a, at, p->rows, at + count, rest), false);
    }
    return list;
}

/* C becomes Q C. */
static void
apply_q(const Panel *list, int n, Matrix c)
{
    for (int i = panels_of(n) - 1; i >= 0; i--)
        panel_apply(&list[i], some_rows(c, list[i].first, list[i].rows), true);
}

/* Finds the gap: where the smallest that is counted is farthest above the
   largest that is not, which may be rounding only. */
static void
find_gap(Rank *r, const double *size, int n, double rounding)
{
    double *least = allocate((size_t)n + 1, sizeof *least);
    double most = 0, largest = 0, widest = 100; /* a gap is wider than that */
    least[0] = INFINITY;
    for (int i = 0; i < n; i++) {
        least[i + 1] = fmin(least[i], size[i]);
        largest = fmax(largest, size[i]);
    }
    r->rank = largest > 0 ? -1 : 0;
    double floor = largest * (sizeof(real) == 4 ? FLT_EPSILON : DBL_EPSILON);
    for (int i = n; i > 0 && most <= rounding * largest; i--) {
        double gap = least[i] / fmax(most, floor);
        if (gap > widest) {
            widest = gap;
            r->rank = i;
        }
        most = fmax(most, size[i - 1]);
    }
    free(least);
}

static int
falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Are some of those that are counted far below the others? */
static void
find_faint(Rank *r, double *size)
{
    double widest = 100;
    qsort(size, (size_t)r->rank, sizeof *size, falling);
    for (int i = 1; i < r->rank; i++)
        if (size[i] < FAINT * size[0] && size[i - 1] > widest * size[i]) {
            widest = size[i - 1] / size[i];
            r->faint = r->rank - i;
            r->faintness = size[i] / size[0];
        }
}

/* x becomes as long as 1; returns how long it was. */
static double
normalise(real *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    for (int i = 0; i < n && sum > 0; i++)
        x[i] /= (real)sqrt(sum);
    return sqrt(sum);
}

static bool
differ(double found, double before)
{
    return fabs(found - before) > 1e-3 * found;
}

/* The largest singular value of a, by the power method on A' A. */
static double
largest_of(Matrix a)
{
    Random random = random_stream((uint64_t)a.cols, "power");
    real *x = allocate((size_t)(a.cols + a.rows), sizeof *x);
    Matrix in = matrix(x, a.cols, 1, 1), out = matrix(x + a.cols, a.rows, 1, 1);
    double found = 0, before = -1;
    for (int i = 0; i < a.cols; i++)
        x[i] = (real)random_normal(&random);
    for (int step = 0; step < STEPS && differ(found, before); step++) {
        before = found;
        multiply(out, a, in);
        multiply(in, transposed(a), out);
        found = normalise(x, a.cols);
    }
    free(x);
    return sqrt(found);
}

/* The smallest of the upper triangle of a, by the same on (R' R)^-1. */
static double
smallest_of(Matrix a)
{
    int n = a.cols;
    Random random = random_stream((uint64_t)n, "inverse");
    real *x = allocate((size_t)n, sizeof *x);
    double found = 0, before = -1;
    for (int i = 0; i < n; i++)
        x[i] = (real)random_normal(&random);
    for (int step = 0; step < STEPS && differ(found, before); step++) {
        before = found;
        for (int i = 0; i < n; i++) {
            const real *row = a.at + i * a.down;
            x[i] /= row[i];
            for (int j = i + 1; j < n; j++)
                x[j] -= row[j] * x[i];
        }
        for (int i = n - 1; i >= 0; i--) {
            const real *row = a.at + i * a.down;
            x[i] -= row_dot(row + i + 1, x + i + 1, n - i - 1);
            x[i] /= row[i];
        }
        found = normalise(x, n);
    }
    free(x);
    return 1 / sqrt(found);
}

/* The columns of Q beyond the rank, mixed back: (n x (n - rank)). */
static real *
null_space(const Panel *q, const Mixing *mixing, int n, int rank)
{
    size_t wide = (size_t)(n - rank);
    real *own = allocate((size_t)n * wide, sizeof *own);
    real *null = allocate((size_t)n * wide, sizeof *null);
    real *mixed = allocate((size_t)n * (size_t)n, sizeof *mixed);
    for (int i = 0; i < n; i++)
        mixed[(size_t)i * (size_t)(n + 1)] = 1;
    for (int i = 0; i < n - rank; i++)
        own[(size_t)(rank + i) * wide + (size_t)i] = 1;
    Matrix basis = matrix(own, n, n - rank, n - rank);
    apply_q(q, n, basis);
    mix(mixing, mixed, n);
    multiply(matrix(null, n, n - rank, n - rank), matrix(mixed, n, n, n),
             basis);
    free(mixed);
    free(own);
    return null;
}

/* Of an upper triangle: where its diagonal has a gap, and how large the
   singular values on either side of it are. With R = [R11 R12; 0 R22], the
   smallest of R11 is at most the last that counts, and the largest of R22 at
   least the first that does not, so a gap between these two is proof. */
static Rank
rank_of_triangle(Matrix a, double rounding)
{
    Rank r = {0};
    int n = a.cols;
    double *size = allocate((size_t)n, sizeof *size);
    for (int i = 0; i < n; i++) {
        size[i] = fabs((double)a.at[i * (a.down + 1)]);
        memset(a.at + i * a.down, 0, (size_t)i * sizeof *a.at);
    }
    find_gap(&r, size, n, rounding);
    if (r.rank > 0) {
        double largest = largest_of(a);
        int rest = n - r.rank;
        r.last = smallest_of(part(a, 0, r.rank, 0, r.rank)) / largest;
        if (rest)
            r.next = largest_of(part(a, r.rank, rest, r.rank, rest)) / largest;
        find_faint(&r, size);
    }
    free(size);
    return r;
}

Rank
matrix_rank(real *a, int m, int n, double rounding, real **null)
{
    Mixing mixing = mixing_of(n);
    mix(&mixing, a, m);
    panels_free(qr(matrix(a, m, n, n)), n);
    Matrix upper = matrix(a, n, n, n);
    double haze = 100 * rounding; /* R shows rounding larger than it is, */
    Rank r = rank_of_triangle(upper, haze);
    bool clear = r.rank == 0 || (r.last > 1e4 * haze && !r.faint);
    /* and what is small smaller, so that it may have to be told by L */
    if (null || !clear) {
        real *b = allocate((size_t)n * (size_t)n, sizeof *b);
        copy_matrix(b, transposed(upper), n);
        Panel *q = qr(matrix(b, n, n, n));
        r = rank_of_triangle(matrix(b, n, n, n), rounding);
        if (null)
            *null = r.rank >= 0 && r.rank < n
                        ? null_space(q, &mixing, n, r.rank)
                        : NULL;
        panels_free(q, n);
        free(b);
    }
    mixing_free(&mixing);
    return r;
}
