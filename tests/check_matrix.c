/* check_matrix.c - the product against three loops, bit for bit. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "math/matrix.h"
#include "math/random.h"
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
   are `gap` numbers longer than they need to be. */
static Matrix
laid(const real *at, int m, int k, int flipped, int gap)
{
    return flipped ? transposed(matrix(at, k, m, m + gap))
                   : matrix(at, m, k, k + gap);
}

static void
compare(int m, int k, int n, int gap)
{
    for (int layout = 0; layout < 8; layout++) {
        int flip_a = layout & 1, flip_b = layout >> 1 & 1, add = layout >> 2;
        real *a = numbers((m + gap) * (k + gap));
        real *b = numbers((k + gap) * (n + gap));
        int size = m * (n + gap);
        real *c = numbers(size), *wanted = allocate((size_t)size, sizeof *c);
        memcpy(wanted, c, (size_t)size * sizeof *c);
        Matrix ma = laid(a, m, k, flip_a, gap), mb = laid(b, k, n, flip_b, gap);
        (add ? multiply_add : multiply)(matrix(c, m, n, n + gap), ma, mb);
        by_hand(matrix(wanted, m, n, n + gap), ma, mb, add);
        ck_assert_msg(!memcmp(c, wanted, (size_t)size * sizeof *c),
                      "%d x %d x %d, gap %d, layout %d", m, k, n, gap, layout);
        free(a);
        free(b);
        free(c);
        free(wanted);
    }
}

START_TEST(small_shapes)
{
    for (int m = 1; m < 20; m += m < 10 ? 1 : 3)
        for (int k = 1; k < 10; k += 2)
            for (int n = 1; n < 75; n += n < 20 ? 1 : 9)
                compare(m, k, n, 0);
}
END_TEST

START_TEST(longer_rows_than_needed)
{
    compare(17, 5, 33, 3);
    compare(8, 16, 32, 1);
    compare(9, 7, 11, 5);
}
END_TEST

/* More steps of k than a panel holds; so many rows and columns that B, and a
   transposed A, are copied. */
START_TEST(large_shapes)
{
    compare(70, 257, 65, 0);
    compare(3, 1000, 5, 0);
    compare(49, 600, 259, 5);
    compare(260, 300, 270, 0);
}
END_TEST

START_TEST(no_columns_to_sum)
{
    real c[4] = {1, 2, 3, 4}, none[1] = {0};
    multiply(matrix(c, 2, 2, 2), matrix(none, 2, 0, 0), matrix(none, 0, 2, 2));
    for (int i = 0; i < 4; i++)
        ck_assert(c[i] == 0);
}
END_TEST

START_TEST(shapes_that_do_not_fit)
{
    expect_a_message();
    real x[64] = {0};
    multiply(matrix(x, 2, 2, 2), matrix(x + 8, 2, 3, 3),
             matrix(x + 32, 2, 2, 2));
}
END_TEST

Suite *
matrix_suite(void)
{
    Suite *s = suite_create("matrix");
    TCase *c = tcase_create("product");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, small_shapes);
    tcase_add_test(c, longer_rows_than_needed);
    tcase_add_test(c, large_shapes);
    tcase_add_test(c, no_columns_to_sum);
    tcase_add_test_raise_signal(c, shapes_that_do_not_fit, SIGABRT);
    suite_add_tcase(s, c);
    return s;
}
