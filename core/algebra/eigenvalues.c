/* eigenvalues.c - the eigenvalues of a square matrix, by the QR algorithm
   (Francis 1961; Golub and Van Loan, "Matrix Computations", chapter 7).

   First the matrix becomes upper Hessenberg, H: below the diagonal just under
   the main one all entries are 0. Then H - shift = Q R is computed, and H
   becomes R Q + shift, which has the same eigenvalues, until an entry below the
   main diagonal is 0 and H falls into two parts. With shifts near an eigenvalue
   that takes two or three steps. All of it is done by rotations of two rows or
   two columns. The shifts are complex, and so is H. */
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

/* The rotation that makes y 0. */
static Rotation
rotation_of(double complex x, double complex y)
{
    double size = hypot(cabs(x), cabs(y));
    if (size == 0)
        return (Rotation){1, 0};
    double complex unit = x == 0 ? 1 : x / cabs(x);
    return (Rotation){cabs(x) / size, unit * conj(y) / size};
}

/* Rotates n entries of x and of y, `apart` from one another. */
static void
turn(double complex *x, double complex *y, int apart, int n, Rotation r)
{
    for (int i = 0; i < n * apart; i += apart) {
        double complex was = x[i];
        x[i] = r.c * was + r.s * y[i];
        y[i] = r.c * y[i] - conj(r.s) * was;
    }
}

/* The inverse rotation is used for columns, so that eigenvalues stay. */
static void
hessenberg(double complex *h, int n)
{
    for (int col = 0; col < n; col++)
        for (int row = n - 1; row > col + 1; row--) {
            double complex *x = h + (row - 1) * n, *y = h + row * n;
            Rotation r = rotation_of(x[col], y[col]);
            turn(x, y, 1, n, r);
            r.s = conj(r.s);
            turn(h + row - 1, h + row, n, n, r);
        }
}

/* The eigenvalue of the 2 x 2 part of H which ends in `last` that is nearer to
   that entry. */
static double complex
shift_of(const double complex *last, int n)
{
    double complex half = (last[-n - 1] - last[0]) / 2;
    double complex product = last[-n] * last[-1];
    double complex root = csqrt(half * half + product);
    if (cabs(half - root) > cabs(half + root))
        root = -root;
    return half + root == 0 ? last[0] : last[0] - product / (half + root);
}

/* One step on the part of H from `first` to `last`; `turns` has room for a
   rotation of each row. */
static void
qr_step(double complex *h, int n, int first, int last, double complex shift,
        Rotation *turns)
{
    for (int i = first; i <= last; i++)
        h[i * n + i] -= shift;
    for (int i = first; i < last; i++) {
        double complex *x = h + i * n + i, *y = x + n;
        turns[i] = rotation_of(*x, *y);
        turn(x, y, 1, last - i + 1, turns[i]);
    }
    for (int i = first; i < last; i++) {
        double complex *x = h + first * n + i;
        turns[i].s = conj(turns[i].s);
        turn(x, x + 1, n, i - first + 2, turns[i]);
    }
    for (int i = first; i <= last; i++)
        h[i * n + i] += shift;
}

/* Where the part of H begins that ends in `last`: below an entry under the
   diagonal that is only rounding. */
static int
part_of(const double complex *h, int n, int last)
{
    int first = last;
    for (; first > 0; first--) {
        const double complex *entry = h + first * n + first;
        double beside = cabs(entry[0]) + cabs(entry[-n - 1]);
        if (cabs(entry[-1]) <= DBL_EPSILON * beside)
            break;
    }
    return first;
}

bool
eigenvalues(double complex *h, int n, double complex *values)
{
    enum { MOST = 60 }; /* steps for an eigenvalue */
    Rotation *turns = allocate((size_t)n, sizeof *turns);
    int last = n - 1, steps = 0;
    hessenberg(h, n);
    while (last >= 0 && steps < MOST) {
        const double complex *end = h + last * n + last;
        int first = part_of(h, n, last);
        if (first == last) {
            values[last] = *end;
            last--;
            steps = 0;
            continue;
        }
        double complex shift = shift_of(end, n);
        steps++;
        if (steps % 10 == 0) /* it may go in a circle: another shift */
            shift = cabs(end[-1]) + *end;
        qr_step(h, n, first, last, shift, turns);
    }
    free(turns);
    return last < 0;
}
