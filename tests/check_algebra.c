/* check_algebra.c - singular values, and the canonical form of variants. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/random.h"
#include "algebra/canonical.h"
#include "algebra/derive.h"
#include "algebra/eigenvalues.h"
#include "algebra/svd.h"
#include "suites.h"

/* How far U diag(s) V' is from A, and U'U and V'V from the identity on the
   singular values that are not 0. */
static double
error_of(const double *a, int m, int n, double *s)
{
    Svd found = svd_of(a, m, n);
    int k = found.k;
    double *u = found.u, *v = found.v, worst = 0;
    memcpy(s, found.s, (size_t)k * sizeof *s);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += u[i * k + l] * s[l] * v[j * k + l];
            worst = fmax(worst, fabs(sum - a[i * n + j]));
        }
    for (int p = 0; p < k; p++)
        for (int q = 0; q < k; q++) {
            double uu = 0, vv = 0, wanted = p == q;
            if (s[p] < 1e-12 * s[0] || s[q] < 1e-12 * s[0])
                continue;
            for (int i = 0; i < m; i++)
                uu += u[i * k + p] * u[i * k + q];
            for (int i = 0; i < n; i++)
                vv += v[i * k + p] * v[i * k + q];
            worst = fmax(worst, fmax(fabs(uu - wanted), fabs(vv - wanted)));
        }
    for (int p = 1; p < k; p++)
        ck_assert(s[p] <= s[p - 1] && s[p] >= 0);
    free(u);
    return worst;
}

TEST(svd_of_random_matrices)
{
    static const int shapes[][2] = {{1, 1}, {1, 7}, {7, 1},  {5, 5},
                                    {9, 4}, {4, 9}, {20, 20}};
    Random r = random_stream(1, "svd");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        int m = shapes[k][0], n = shapes[k][1];
        double a[400], s[20], squares = 0, found = 0;
        for (int i = 0; i < m * n; i++) {
            a[i] = random_normal(&r);
            squares += a[i] * a[i];
        }
        ck_assert(error_of(a, m, n, s) < 1e-13 * 20);
        for (int i = 0; i < (m < n ? m : n); i++)
            found += s[i] * s[i];
        ck_assert(fabs(found / squares - 1) < 1e-13);
    }
}

/* Large ones of low rank, as the M of a published model's head, tall and wide;
   and of full rank. */
TEST(svd_of_large_matrices)
{
    enum { MOST = 160 * 140 };
    double *a = allocate(MOST, sizeof *a), s[140];
    Random r = random_stream(2, "svd");
    for (int rank = 7; rank <= 140; rank += rank < 14 ? 7 : 126) {
        double *x = allocate(160 * 140, sizeof *x), *y = x;
        for (int i = 0; i < 160 * rank; i++)
            x[i] = random_normal(&r);
        product_with_transposed(a, x, y, 160, rank, 140);
        ck_assert(error_of(a, 160, 140, s) < 1e-10);
        ck_assert_int_eq(rank_of(s, 140, 1e-12), rank);
        product_with_transposed(a, y, x, 140, rank, 160);
        ck_assert(error_of(a, 140, 160, s) < 1e-10);
        ck_assert_int_eq(rank_of(s, 140, 1e-12), rank);
        free(x);
    }
    free(a);
}

/* Known spectra: repeated values, rank 1, zero, widely spread. */
TEST(svd_of_known_matrices)
{
    double s[20], zero[12] = {0}, twice[9] = {2, 0, 0, 0, 0, -2, 0, 2, 0};
    double one[6] = {1, 2, 3, 2, 4, 6}, spread[4] = {1e8, 1, 0, 1e-8};
    Svd none = svd_of(zero, 3, 4);
    ck_assert(none.s[0] == 0 && none.s[2] == 0);
    ck_assert_int_eq(rank_of(none.s, 3, 1e-12), 0);
    ck_assert(effective_rank(none.s, 3) == 0);
    free(none.u);
    ck_assert(error_of(twice, 3, 3, s) < 1e-15);
    ck_assert(fabs(s[0] - 2) < 1e-15 && fabs(s[2] - 2) < 1e-15);
    ck_assert(fabs(effective_rank(s, 3) - 3) < 1e-12);
    ck_assert(error_of(one, 2, 3, s) < 1e-14);
    ck_assert(fabs(s[0] - sqrt(70)) < 1e-14 && s[1] < 1e-14);
    ck_assert_int_eq(rank_of(s, 2, 1e-12), 1);
    ck_assert(fabs(effective_rank((double[]){5, 0}, 2) - 1) < 1e-12);
    error_of(spread, 2, 2, s);
    ck_assert(fabs(s[0] / sqrt(1e16 + 1) - 1) < 1e-14);
    ck_assert(fabs(s[0] * s[1] - 1) < 1e-14); /* the determinant */
}

/* The eigenvalues of B D B^-1 are those of D: real ones, a pair of complex
   ones, and 0. Those of a permutation are as far apart as any. */
TEST(eigenvalues_of_known_matrices)
{
    enum { N = 5 };
    const double known[N * N] = {
        [0] = 3, [6] = -2, [12] = 1, [13] = 5, [17] = -5, [18] = 1};
    const double complex wanted[N] = {3, -2, 1 + 5 * I, 1 - 5 * I, 0};
    double b[N * N], back[N * N] = {0}, half[N * N], a[N * N];
    double complex h[N * N], turn[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    double complex none[4] = {1, NAN, 1, 1}, found[N];
    Random random = random_stream(4, "eigenvalues");
    for (int i = 0; i < N * N; i++)
        b[i] = random_normal(&random);
    pseudo_inverse(b, N, N, back); /* transposed */
    product_of(half, b, known, N, N, N);
    product_with_transposed(a, half, back, N, N, N);
    for (int i = 0; i < N * N; i++)
        h[i] = a[i];
    ck_assert(eigenvalues(h, N, found));
    for (int i = 0; i < N; i++) {
        double nearest = INFINITY;
        for (int k = 0; k < N; k++)
            nearest = fmin(nearest, cabs(found[k] - wanted[i]));
        ck_assert(nearest < 1e-9);
    }
    ck_assert(eigenvalues(turn, 3, found) && !eigenvalues(none, 2, found + 3));
    ck_assert(cabs(found[0] * found[1] * found[2] - 1) < 1e-12);
}

/* What is derived from a plugin's code is what probing it finds, in a first
   block and in a later one, and with a single head. */
TEST(derived_forms_are_the_probed_ones)
{
    static const char *const shapes[] = {
        "d-model=32 heads=4 kv-heads=2 d-k=6 d-v=7 latent=11",
        "d-model=6 heads=1 d-k=4 d-v=2 latent=4",
        "d-model=12 heads=3 kv-heads=1 d-k=2 d-v=5 latent=8"};
    Values names = plugin_list();
    int forms = 0;
    for (int i = 0; i < 3 * names.count; i++) {
        const Variant *v = plugin_open(names.text[i / 3]).variant;
        Derived d = derive_at(v, shapes[i % 3], 1 + i % 2);
        if (!d.why) {
            ck_assert_msg(probe_confirms(&d), "%s", names.text[i / 3]);
            forms++;
        }
        derived_free(&d);
    }
    ck_assert_int_ge(forms, 66);
}
