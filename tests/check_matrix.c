/* check_matrix.c - the product against three loops, bit for bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/matrix.h"
#include "heart/random.h"
#include "suites.h"

static real
fma_real(real a, real b, real c)
{
#ifdef QKV_DOUBLE
    return fma(a, b, c);
#else
    return fmaf(a, b, c);
#endif
}

static real *
numbers(int count)
{
    static Random r;
    static int started;
    if (!started++)
        r = random_stream(1, "numbers");
    real *x = allocate((size_t)count, sizeof *x);
    for (int i = 0; i < count; i++)
        x[i] = (real)random_normal(&r);
    return x;
}

/* One chain of multiply-adds in the order of k: what multiply promises. */
static void
by_hand(Matrix c, Matrix a, Matrix b, int add)
{
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.cols; j++) {
            real *to = &c.at[i * c.down + j];
            real sum = add ? *to : 0;
            for (int k = 0; k < a.cols; k++)
                sum = fma_real(a.at[i * a.down + k * a.across],
                               b.at[k * b.down + j * b.across], sum);
            *to = sum;
        }
}

/* A (m x k) as it lies, or as the transpose of what lies there, in rows that
   are `gap` numbers longer than they need to be; `count` of them, with a gap of
   one row between two. */
static Matrix
laid(const real *at, int count, int m, int k, int flipped, int gap)
{
    Matrix a = flipped ? transposed(matrix(at, k, m, m + gap))
                       : matrix(at, m, k, k + gap);
    a.step = flipped ? (k + 1) * (m + gap) : (m + 1) * (k + gap);
    a.count = count;
    return a;
}

/* A batch's i-th, alone. */
static Matrix
alone(Matrix m, int i)
{
    m.at += i * m.step;
    m.count = 1;
    return m;
}

static void
compare(int count, int m, int k, int n, int gap)
{
    for (int layout = 0; layout < 8; layout++) {
        int flip_a = layout & 1, flip_b = layout >> 1 & 1, add = layout >> 2;
        real *a = numbers(count * (m + gap + 1) * (k + gap + 1));
        real *b = numbers(count * (k + gap + 1) * (n + gap + 1));
        int size = count * (m + 1) * (n + gap);
        real *c = numbers(size), *wanted = allocate((size_t)size, sizeof *c);
        memcpy(wanted, c, (size_t)size * sizeof *c);
        Matrix ma = laid(a, count, m, k, flip_a, gap);
        Matrix mb = laid(b, count, k, n, flip_b, gap);
        Matrix mc = laid(c, count, m, n, 0, gap), by = mc;
        (add ? multiply_add : multiply)(mc, ma, mb);
        by.at = wanted;
        for (int i = 0; i < count; i++)
            by_hand(alone(by, i), alone(ma, i), alone(mb, i), add);
        ck_assert_msg(!memcmp(c, wanted, (size_t)size * sizeof *c),
                      "%d of %d x %d x %d, gap %d, layout %d", count, m, k, n,
                      gap, layout);
        free(a);
        free(b);
        free(c);
        free(wanted);
    }
}

TEST(small_shapes)
{
    for (int m = 1; m < 20; m += m < 10 ? 1 : 3)
        for (int k = 1; k < 10; k += 2)
            for (int n = 1; n < 75; n += n < 20 ? 1 : 9)
                compare(1, m, k, n, 0);
}

TEST(longer_rows_than_needed)
{
    compare(1, 17, 5, 33, 3);
    compare(1, 8, 16, 32, 1);
    compare(1, 9, 7, 11, 5);
}

/* More steps of k than a panel holds; so many rows and columns that B, and a
   transposed A, are copied. */
TEST(large_shapes)
{
    compare(1, 70, 257, 65, 0);
    compare(1, 3, 1000, 5, 0);
    compare(1, 49, 600, 259, 5);
    compare(1, 260, 300, 270, 0);
    compare(1, 13, 520, 1100, 0); /* wider than a panel */
}

/* Heads of several sequences, of one row, of fewer columns than a vector; and
   one whose operands are copied. */
TEST(batches)
{
    compare(5, 16, 8, 16, 24);
    compare(3, 32, 16, 32, 0);
    compare(4, 1, 9, 40, 7);
    compare(3, 13, 16, 3, 1);
    compare(2, 260, 200, 270, 0);
}

TEST(no_columns_to_sum)
{
    real c[4] = {1, 2, 3, 4}, none[1] = {0};
    multiply(matrix(c, 2, 2, 2), matrix(none, 2, 0, 0), matrix(none, 0, 2, 2));
    for (int i = 0; i < 4; i++)
        ck_assert(c[i] == 0);
}

ABORTS(batches_that_do_not_fit, 1)
{
    expect_a_message();
    real x[64] = {0};
    Matrix two = matrix(x, 2, 2, 2);
    two.count = 2;
    multiply(two, matrix(x + 8, 2, 2, 2), matrix(x + 32, 2, 2, 2));
}

ABORTS(shapes_that_do_not_fit, 1)
{
    expect_a_message();
    real x[64] = {0};
    multiply(matrix(x, 2, 2, 2), matrix(x + 8, 2, 3, 3),
             matrix(x + 32, 2, 2, 2));
}
