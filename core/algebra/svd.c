/* svd.c - singular values, by one-sided Jacobi rotations.

   Pairs of columns of A are rotated until all columns are at right angles. Then
   A V = U S: the lengths of the columns are the singular values, and V is the
   product of the rotations. A wide matrix is transposed first, which swaps U
   and V. So a matrix has at most as many columns here as entries in a column.
   Each column is stored as a row, to keep its entries together. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/svd.h"
#include "heart/fail.h"
#include "heart/numbers.h"
#include "operators/functions.h"

/* For columns of at least this length, looking for a low rank first saves time.
 */
enum { LARGE = 128 };

/* Two columns are at a right angle if the cosine between them is at most this,
   which is about as small as rounding lets it become. */
#define RIGHT_ANGLE 1e-15

/* Jacobi rotations converge in about ten sweeps; this only ends the loop. */
enum { MOST_SWEEPS = 60 };

/* A row that is shorter than this share of the longest is only rounding. */
#define SHORTEST_ROW 1e-14

/* The inner product of two vectors. */
static double
dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum = fma(x[i], y[i], sum);
    return sum;
}

/* Rotates the columns x and y, of length n, by the angle with cosine c and
   sine s. */
static void
turn(double *x, double *y, int n, double c, double s)
{
    for (int i = 0; i < n; i++) {
        double t = x[i];
        x[i] = c * t - s * y[i];
        y[i] = s * t + c * y[i];
    }
}

/* Rotates columns x and y (length n) to a right angle, and the columns vx and
   vy of V (length k) by the same angle. t is the tangent of the smaller of the
   two possible angles (Golub and Van Loan, "Matrix Computations", 8.5). Returns
   false if x and y were at a right angle already. */
static bool
straighten(double *x, double *y, int n, double *vx, double *vy, int k)
{
    double xx = dot(x, x, n), yy = dot(y, y, n), xy = dot(x, y, n);
    if (fabs(xy) <= RIGHT_ANGLE * sqrt(xx * yy))
        return false;
    double zeta = (yy - xx) / (2 * xy);
    double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t);
    turn(x, y, n, c, c * t);
    turn(vx, vy, k, c, c * t);
    return true;
}

/* Rotates k columns of length n, which are the rows of w (k x n), until all are
   at right angles. The rows of v (k x k) become the columns of V. */
static void
jacobi(double *w, int n, double *v, int k)
{
    bool turned = true;
    for (int i = 0; i < k * k; i++)
        v[i] = i % (k + 1) == 0; /* the identity: 1 on the diagonal */
    for (int sweep = 0; turned && sweep < MOST_SWEEPS; sweep++) {
        turned = false;
        for (int i = 0; i < k; i++)
            for (int j = i + 1; j < k; j++)
                turned |= straighten(w + i * n, w + j * n, n, v + i * k,
                                     v + j * k, k);
    }
}

/* Subtracts from x its component along the unit vector q. */
static void
remove_component(double *x, const double *q, int n)
{
    double along = dot(x, q, n);
    for (int i = 0; i < n; i++)
        x[i] -= along * q[i];
}

/* The index of the longest row of w. *squared becomes its squared length. */
static int
longest_row(const double *w, int rows, int length, double *squared)
{
    int longest = 0;
    *squared = 0;
    for (int i = 0; i < rows; i++) {
        double squares = dot(w + i * length, w + i * length, length);
        if (squares > *squared) {
            longest = i;
            *squared = squares;
        }
    }
    return longest;
}

/* Gram-Schmidt orthogonalisation. It ends when the longest row that remains is
   only rounding, compared with the first that was chosen. */
int
row_basis(double *w, int rows, int length, double *q, int *chosen)
{
    double first_squared = 0; /* the squared length of that first row */
    int most = rows < length ? rows : length;
    for (int r = 0; r < most; r++) {
        double squared; /* the squared length of the longest row */
        double *row = q + r * length;
        int longest = longest_row(w, rows, length, &squared);
        memcpy(row, w + longest * length, (size_t)length * sizeof *row);
        if (chosen)
            chosen[r] = longest;
        if (r == 0)
            first_squared = squared;
        /* Earlier rows of q were removed from w only up to rounding, so remove
           them once more. */
        for (int i = 0; i < r; i++)
            remove_component(row, q + i * length, length);
        double norm = sqrt(dot(row, row, length));
        if (norm <= SHORTEST_ROW * sqrt(first_squared))
            return r;
        for (int j = 0; j < length; j++)
            row[j] /= norm;
        for (int i = 0; i < rows; i++)
            remove_component(w + i * length, row, length);
    }
    return most;
}

double
fast_dot(const double *x, const double *y, int n)
{
    enum { SUMS = 16 };
    double sum[SUMS] = {0};
    int rest = n % SUMS; /* entries after the last full group of 16 */
    for (int i = 0; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; k++)
            sum[k] = fma(x[i + k], y[i + k], sum[k]);
    double all = dot(x + n - rest, y + n - rest, rest);
    for (int k = 0; k < SUMS; k++)
        all += sum[k];
    return all;
}

/* Modified Gram-Schmidt: each column, divided by its length, becomes the next
   column of Q, and its component is removed from each later column. */
void
triangle_of(double *w, int n, int length, double *r)
{
    for (int i = 0; i < n; i++) {
        double *q = w + i * length;
        double norm = sqrt(fast_dot(q, q, length));
        r[i * n + i] = norm;
        if (norm > 0)
            for (int k = 0; k < length; k++)
                q[k] /= norm;
        for (int j = i + 1; j < n; j++) {
            double *column = w + j * length;
            double along = fast_dot(q, column, length);
            for (int k = 0; k < length; k++)
                column[k] -= along * q[k];
            r[i * n + j] = along;
        }
    }
}

/* The memory for a decomposition. U and V are called by their sizes: one is the
   long side (length x k), the other the short side (k x k). Column r of each
   belongs to the singular value s[r]. */
typedef struct Result {
    int k, length; /* the smaller and the larger side of A */
    double *s, *long_side, *short_side;
} Result;

/* Decomposes A' = w (k x length), whose rows are combinations of the `rank`
   orthonormal rows of Q = q (rank x length). A' = B Q, with B = A' Q' (k x
   rank). If B = U S V', then A' = U S (Q' V)': U is the short side, and Q' V
   the long side. The columns of both from `rank` on stay 0. */
static void
decompose_in_basis(const double *w, const double *q, int rank, Result to)
{
    int k = to.k, length = to.length;
    /* + 1, because the rank may be 0 */
    double *b = allocate((size_t)k * (size_t)rank + 1, sizeof *b);
    for (int i = 0; i < k; i++)
        for (int r = 0; r < rank; r++)
            b[i * rank + r] = dot(w + i * length, q + r * length, length);
    Svd small = svd_of(b, k, rank);
    for (int r = 0; r < rank; r++) {
        to.s[r] = small.s[r];
        for (int i = 0; i < k; i++)
            to.short_side[i * k + r] = small.u[i * rank + r];
        for (int i = 0; i < rank; i++) /* column r of Q' V */
            for (int j = 0; j < length; j++)
                to.long_side[j * k + r] +=
                    q[i * length + j] * small.v[i * rank + r];
    }
    free(small.u);
    free(b);
}

/* Decomposes A' = w (k x length) if its rank is low, as that of the M_i of a
   head. Then only `rank` columns need to be rotated. Returns false, and writes
   nothing, if the rank is at least half the length. */
static bool
decompose_low_rank(const double *w, Result to)
{
    size_t size = (size_t)to.k * (size_t)to.length;
    double *rest = allocate(2 * size, sizeof *rest); /* row_basis clears it */
    double *q = rest + size;
    int *no_indices = NULL;
    memcpy(rest, w, size * sizeof *rest);
    int rank = row_basis(rest, to.k, to.length, q, no_indices);
    bool is_low = 2 * rank < to.length;
    if (is_low)
        decompose_in_basis(w, q, rank, to);
    free(rest);
    return is_low;
}

/* Decomposes any A' = w (k x length). Rotates its rows to right angles. Divided
   by their lengths, they become the columns of the long side, the longest
   first. The product of the rotations becomes the short side. */
static void
decompose(double *w, Result to)
{
    enum { WRITTEN = -1 }; /* instead of the length of a row already written */
    int k = to.k, length = to.length;
    double *turns = allocate((size_t)k * (size_t)k, sizeof *turns);
    double *size = allocate((size_t)k, sizeof *size); /* of each row of w */
    jacobi(w, length, turns, k);
    for (int i = 0; i < k; i++)
        size[i] = sqrt(dot(w + i * length, w + i * length, length));
    for (int column = 0; column < k; column++) {
        int row = 0; /* the longest row that has not been written */
        for (int i = 1; i < k; i++)
            row = size[i] > size[row] ? i : row;
        to.s[column] = size[row];
        for (int i = 0; i < length; i++)
            to.long_side[i * k + column] =
                size[row] > 0 ? w[row * length + i] / size[row] : 0;
        for (int i = 0; i < k; i++)
            to.short_side[i * k + column] = turns[row * k + i];
        size[row] = WRITTEN;
    }
    free(size);
    free(turns);
}

/* For a tall A the long side is U and the short side V; for a wide A the two
   are swapped, since A' = V S U'. The rows of w are the columns of a tall A, or
   the rows of a wide A. */
Svd
svd_of(const double *a, int m, int n)
{
    bool tall = m >= n;
    int k = tall ? n : m, length = tall ? m : n;
    int u_size = m * k, v_size = n * k;
    Svd d = {.k = k, .u = allocate((size_t)(u_size + k + v_size), sizeof *d.u)};
    d.s = d.u + u_size; /* k entries */
    d.v = d.s + k;
    Result to = {.k = k,
                 .length = length,
                 .s = d.s,
                 .long_side = tall ? d.u : d.v,
                 .short_side = tall ? d.v : d.u};
    double *w = allocate((size_t)k * (size_t)length, sizeof *w);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < length; j++)
            w[i * length + j] = tall ? a[j * n + i] : a[i * n + j];
    if (length < LARGE || !decompose_low_rank(w, to))
        decompose(w, to);
    free(w);
    return d;
}

int
rank_of(const double *s, int k, double rounding)
{
    int rank = 0;
    while (rank < k && s[rank] > rounding * s[0])
        rank++;
    return rank;
}

int
pseudo_inverse(const double *a, int m, int n, double *t)
{
    Svd d = svd_of(a, m, n);
    int rank = rank_of(d.s, d.k, ROUNDED_AWAY);
    for (int row = 0; row < m; row++)
        for (int col = 0; col < n; col++)
            for (int j = 0; j < rank; j++)
                t[row * n + col] +=
                    d.u[row * d.k + j] * d.v[col * d.k + j] / d.s[j];
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
    return sum > 0 ? 1 / decay(entropy) : 0; /* decay(x) is e^-x */
}

Spectrum
spectrum_of(const double *a, int d)
{
    Svd svd = svd_of(a, d, d);
    Spectrum s = {.rank = rank_of(svd.s, d, ROUNDED_AWAY),
                  .effective_rank = effective_rank(svd.s, d),
                  .largest = svd.s[0]};
    free(svd.u);
    return s;
}

/* |M + M'|^2 / |2 M|^2, in Frobenius norms. |M + M'|^2 is the sum of
   m_ij^2 + 2 m_ij m_ji + m_ji^2, so it is 2 times that of m_ij (m_ij + m_ji). A
   matrix of zeros is symmetric. */
double
symmetric_share(const double *m, int d)
{
    double symmetric = 0, all = 0;
    for (int row = 0; row < d; row++)
        for (int col = 0; col < d; col++) {
            double entry = m[row * d + col];
            symmetric += entry * (entry + m[col * d + row]) / 2;
            all += entry * entry;
        }
    return all > 0 ? symmetric / all : 1;
}
