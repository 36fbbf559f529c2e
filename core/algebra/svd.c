/* svd.c - singular values, by one-sided Jacobi rotations.

   Pairs of columns of A are rotated until all are at right angles. Then A V = U
   S: the lengths of the columns are the singular values, and V is the product
   of the rotations. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/svd.h"
#include "heart/fail.h"
#include "heart/numbers.h"
#include "operators/functions.h"

enum { LARGE = 128 }; /* from this length on, low ranks are treated apart */

static double
dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum = fma(x[i], y[i], sum);
    return sum;
}

/* Rotates the columns x and y by an angle whose cosine is c and whose sine s.
 */
static void
turn(double *x, double *y, int n, double c, double s)
{
    for (int i = 0; i < n; i++) {
        double t = x[i];
        x[i] = c * t - s * y[i];
        y[i] = s * t + c * y[i];
    }
}

/* Rotates columns x and y (length n) to a right angle, and the columns v and w
   of V (length k) with them. Returns false if x and y were at a right angle
   already. */
static bool
straighten(double *x, double *y, int n, double *v, double *w, int k)
{
    double xx = dot(x, x, n), yy = dot(y, y, n), xy = dot(x, y, n);
    if (fabs(xy) <= 1e-15 * sqrt(xx * yy) || xy == 0)
        return false;
    double zeta = (yy - xx) / (2 * xy);
    double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t);
    turn(x, y, n, c, c * t);
    turn(v, w, k, c, c * t);
    return true;
}

/* Rotates the columns of a tall matrix, stored as the rows of w (k x n), until
   all are at right angles. The rows of v become the columns of V. */
static void
jacobi(double *w, int n, double *v, int k)
{
    bool turned = true;
    for (int i = 0; i < k * k; i++)
        v[i] = i % (k + 1) == 0;
    for (int sweep = 0; turned && sweep < 60; sweep++) {
        turned = false;
        for (int i = 0; i < k; i++)
            for (int j = i + 1; j < k; j++)
                turned |= straighten(w + i * n, w + j * n, n, v + i * k,
                                     v + j * k, k);
    }
}

/* Subtracts from x its part along the unit vector q. */
static void
subtract(double *x, const double *q, int n)
{
    double along = dot(x, q, n);
    for (int i = 0; i < n; i++)
        x[i] -= along * q[i];
}

/* The row of w that is longest; *size becomes its squared length. */
static int
longest_row(const double *w, int rows, int length, double *size)
{
    int longest = 0;
    *size = 0;
    for (int i = 0; i < rows; i++) {
        double own = dot(w + i * length, w + i * length, length);
        if (own > *size) {
            longest = i;
            *size = own;
        }
    }
    return longest;
}

/* Gram and Schmidt, with the longest row that is left as the next one. Each new
   row is subtracted from all others. */
int
row_basis(double *w, int rows, int length, double *q, int *chosen)
{
    double first = 0, size; /* squared lengths: of the first row, of this one */
    for (int r = 0; r < rows && r < length; r++) {
        double *row = q + r * length;
        int longest = longest_row(w, rows, length, &size);
        memcpy(row, w + longest * length, (size_t)length * sizeof *row);
        if (chosen)
            chosen[r] = longest;
        if (r == 0)
            first = size;
        for (int i = 0; i < r; i++) /* again: earlier subtractions rounded */
            subtract(row, q + i * length, length);
        double norm = sqrt(dot(row, row, length));
        if (norm <= 1e-14 * sqrt(first))
            return r;
        for (int j = 0; j < length; j++)
            row[j] /= norm;
        for (int i = 0; i < rows; i++)
            subtract(w + i * length, row, length);
    }
    return rows < length ? rows : length;
}

double
fast_dot(const double *x, const double *y, int n)
{
    enum { SUMS = 16 };
    double sum[SUMS] = {0},
           all = dot(x + n - n % SUMS, y + n - n % SUMS, n % SUMS);
    for (int i = 0; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; k++)
            sum[k] = fma(x[i + k], y[i + k], sum[k]);
    for (int k = 0; k < SUMS; k++)
        all += sum[k];
    return all;
}

void
triangle_of(double *w, int n, int length, double *r)
{
    for (int i = 0; i < n; i++) {
        double *q = w + i * length;
        r[i * n + i] = sqrt(fast_dot(q, q, length));
        for (int k = 0; k < length && r[i * n + i] > 0; k++)
            q[k] /= r[i * n + i];
        for (int j = i + 1; j < n; j++) {
            double *rest = w + j * length, along = fast_dot(q, rest, length);
            for (int k = 0; k < length; k++)
                rest[k] -= along * q[k];
            r[i * n + j] = along;
        }
    }
}

/* Decomposes a large matrix of low rank r, as a head's M is: Jacobi rotates
   only r columns. w has k rows. The columns of long_side (length x k) and of
   short_side (k x k) become the singular vectors of their lengths. Returns
   false if the rank is not low compared with the length. */
static bool
low_rank(const double *w, int k, int length, Svd *d, double *long_side,
         double *short_side)
{
    size_t size = (size_t)k * (size_t)length;
    double *rest = allocate(2 * size, sizeof *rest), *q = rest + size;
    memcpy(rest, w, size * sizeof *rest);
    int rank = row_basis(rest, k, length, q, NULL);
    double *b = allocate((size_t)k * (size_t)rank + 1, sizeof *b);
    for (int i = 0; i < k; i++)
        for (int r = 0; r < rank; r++)
            b[i * rank + r] = dot(w + i * length, q + r * length, length);
    if (2 * rank < length) { /* A' = B Q, and B = U S V' */
        Svd small = svd_of(b, k, rank);
        for (int r = 0; r < rank; r++) {
            d->s[r] = small.s[r];
            for (int i = 0; i < k; i++)
                short_side[i * k + r] = small.u[i * rank + r];
            for (int i = 0; i < rank; i++)
                for (int j = 0; j < length; j++)
                    long_side[j * k + r] +=
                        small.v[i * rank + r] * q[i * length + j];
        }
        free(small.u);
    }
    free(b);
    free(rest);
    return 2 * rank < length;
}

/* Decomposes any other matrix: Jacobi rotates the k rows of w to right angles,
   and they are sorted by length, the longest first. */
static void
full_rank(double *w, int k, int length, Svd *d, double *long_side,
          double *short_side)
{
    double *turns = allocate((size_t)k * (size_t)k + k, sizeof *turns);
    double *size = turns + k * k;
    jacobi(w, length, turns, k);
    for (int i = 0; i < k; i++)
        size[i] = sqrt(dot(w + i * length, w + i * length, length));
    for (int place = 0; place < k; place++) {
        int from = 0;
        for (int i = 1; i < k; i++)
            from = size[i] > size[from] ? i : from;
        d->s[place] = size[from];
        for (int i = 0; i < length; i++)
            long_side[i * k + place] =
                size[from] > 0 ? w[from * length + i] / size[from] : 0;
        for (int i = 0; i < k; i++)
            short_side[i * k + place] = turns[from * k + i];
        size[from] = -1; /* its place is found */
    }
    free(turns);
}

Svd
svd_of(const double *a, int m, int n)
{
    int tall = m >= n, k = tall ? n : m, length = tall ? m : n;
    double *u = allocate((size_t)(m + 1 + n) * k, sizeof *u);
    Svd d = {u, u + m * k, u + m * k + k, k};
    double *w = allocate((size_t)k * (size_t)length, sizeof *w);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            w[tall ? j * length + i : i * length + j] = a[i * n + j];
    double *long_side = tall ? u : d.v, *short_side = tall ? d.v : u;
    if (length < LARGE || !low_rank(w, k, length, &d, long_side, short_side))
        full_rank(w, k, length, &d, long_side, short_side);
    free(w);
    return d;
}

int
rank_of(const double *s, int k, double most)
{
    int rank = 0;
    while (rank < k && s[rank] > most * s[0])
        rank++;
    return rank;
}

int
pseudo_inverse(const double *a, int m, int n, double *t)
{
    Svd d = svd_of(a, m, n);
    int rank = rank_of(d.s, d.k, ROUNDED_AWAY);
    for (int i = 0; i < m * n; i++)
        for (int j = 0; j < rank; j++)
            t[i] += d.u[i / n * d.k + j] * d.v[i % n * d.k + j] / d.s[j];
    free(d.u);
    return rank;
}

double
effective_rank(const double *s, int k)
{
    double sum = 0, entropy = 0;
    for (int i = 0; i < k; i++)
        sum += s[i];
    for (int i = 0; i < k; i++)
        if (s[i] > 0)
            entropy -= s[i] / sum * logarithm(s[i] / sum);
    return sum > 0 ? 1 / decay(entropy) : 0;
}

Spectrum
spectrum_of(const double *a, int d)
{
    Svd svd = svd_of(a, d, d);
    Spectrum s = {rank_of(svd.s, d, ROUNDED_AWAY), effective_rank(svd.s, d),
                  svd.s[0]};
    free(svd.u);
    return s;
}

double
symmetric_share(const double *m, int d)
{
    double both = 0, all = 0;
    for (int k = 0; k < d * d; k++) {
        both += m[k] * (m[k] + m[k % d * d + k / d]) / 2;
        all += m[k] * m[k];
    }
    return all > 0 ? both / all : 1;
}
