/* eigenvalues.c - the eigenvalues of a square matrix, by the QR algorithm
   (Francis 1961; Golub and Van Loan, "Matrix Computations", chapter 7).

   First the matrix becomes an upper Hessenberg matrix H: all entries below the
   subdiagonal, the diagonal just below the main one, are 0. Then QR steps
   follow. A step computes H - shift = Q R, and H becomes R Q + shift, which has
   the same eigenvalues. Once an entry of the subdiagonal is 0, the eigenvalues
   of H are those of two blocks on its diagonal; a block of one row is an
   eigenvalue. If the shifts are near an eigenvalue, two or three steps find it.
   All of this is done by rotations of two rows or two columns. The shifts are
   complex, and so is H. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "algebra/eigenvalues.h"
#include "heart/fail.h"

/* A rotation of two entries: x becomes c x + s y, and y becomes
   c y - conj(s) x. */
typedef struct Rotation {
    double c;
    double complex s;
} Rotation;

/* The rotation of x and y that makes y 0: c = |x| / size and
   s = (x / |x|) conj(y) / size, with size = sqrt(|x|^2 + |y|^2). If x is 0,
   x / |x| counts as 1. */
static Rotation
rotation_of(double complex x, double complex y)
{
    double size = hypot(cabs(x), cabs(y));
    if (size == 0)
        return (Rotation){1, 0};
    double complex unit = x == 0 ? 1 : x / cabs(x);
    return (Rotation){cabs(x) / size, unit * conj(y) / size};
}

/* Rotates n entries of x with n entries of y. Neighbouring entries are `stride`
   apart: ALONG_ROWS if x and y are in rows of a matrix, the length of a row if
   they are in columns. */
enum { ALONG_ROWS = 1 };
static void
rotate(double complex *x, double complex *y, int stride, int n, Rotation r)
{
    for (int i = 0; i < n * stride; i += stride) {
        double complex was = x[i];
        x[i] = r.c * was + r.s * y[i];
        y[i] = r.c * y[i] - conj(r.s) * was;
    }
}

/* Makes h (n x n) upper Hessenberg, from the last row upwards in each column.
   Each rotation of two rows makes one entry 0; the inverse rotation of the same
   two columns then restores the eigenvalues. */
static void
hessenberg(double complex *h, int n)
{
    for (int col = 0; col < n; col++)
        for (int row = n - 1; row > col + 1; row--) {
            double complex *x = h + (row - 1) * n, *y = h + row * n;
            Rotation r = rotation_of(x[col], y[col]);
            rotate(x, y, ALONG_ROWS, n, r);
            r.s = conj(r.s); /* its inverse, for columns */
            rotate(h + row - 1, h + row, n, n, r);
        }
}

/* The next shift, by Wilkinson: the 2 x 2 block (a b; c d) that ends in
   d = *last has two eigenvalues, and the shift is the one nearer to d. They are
   d - b c / (half +- root), with half = (a - d) / 2 and
   root = sqrt(half^2 + b c), so the larger divisor gives the nearer one. A row
   of the matrix has n entries. */
static double complex
shift_of(const double complex *last, int n)
{
    double complex d = last[0], c = last[-1], b = last[-n], a = last[-n - 1];
    double complex half = (a - d) / 2, product = b * c;
    double complex root = csqrt(half * half + product);
    if (cabs(half - root) > cabs(half + root))
        root = -root;
    return half + root == 0 ? d : d - product / (half + root);
}

/* One QR step on the block of h (n x n) in rows and columns `first` to `last`.
   Rotations of rows make h - shift the triangle R. They are kept in turns[first
   .. last - 1], and R is then multiplied from the right by their inverses. */
static void
qr_step(double complex *h, int n, int first, int last, double complex shift,
        Rotation *turns)
{
    for (int i = first; i <= last; i++)
        h[i * n + i] -= shift;
    for (int i = first; i < last; i++) {
        double complex *x = h + i * n + i, *y = x + n;
        turns[i] = rotation_of(*x, *y);
        int count = last - i + 1; /* both rows are 0 before column i */
        rotate(x, y, ALONG_ROWS, count, turns[i]);
    }
    for (int i = first; i < last; i++) {
        double complex *x = h + first * n + i;
        int count = i - first + 2;     /* both columns are 0 below row i + 1 */
        turns[i].s = conj(turns[i].s); /* its inverse, for columns */
        rotate(x, x + 1, n, count, turns[i]);
    }
    for (int i = first; i <= last; i++)
        h[i * n + i] += shift;
}

/* The first row of the block of h (n x n) that ends in row `last`. It is row 0,
   or the last row up to `last` whose entry of the subdiagonal is only rounding,
   compared with its two neighbours on the diagonal. */
static int
block_start(const double complex *h, int n, int last)
{
    for (int row = last; row > 0; row--) {
        const double complex *diagonal = h + row * n + row;
        double neighbours = cabs(diagonal[0]) + cabs(diagonal[-n - 1]);
        const double complex *subdiagonal = diagonal - 1;
        if (cabs(*subdiagonal) <= DBL_EPSILON * neighbours)
            return row;
    }
    return 0;
}

/* Finds one eigenvalue after another, from the last row of h upwards. Gives up
   if one of them takes too many steps. */
bool
eigenvalues(double complex *h, int n, double complex *values)
{
    enum { MOST_STEPS = 60 }; /* for one eigenvalue */
    enum { STUCK_AT = 10 };   /* after this many, the steps may repeat */
    Rotation *turns = allocate((size_t)n, sizeof *turns);
    int last = n - 1, steps = 0;
    hessenberg(h, n);
    while (last >= 0 && steps < MOST_STEPS) {
        const double complex *end = h + last * n + last;
        int first = block_start(h, n, last);
        if (first == last) {
            values[last] = *end;
            last--;
            steps = 0;
        } else {
            double complex shift = shift_of(end, n);
            steps++;
            if (steps % STUCK_AT == 0) /* another shift ends the repetition */
                shift = cabs(end[-1]) + *end;
            qr_step(h, n, first, last, shift, turns);
        }
    }
    free(turns);
    return last < 0;
}
