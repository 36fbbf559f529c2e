/* check_numbers.c - elementary functions, rows and random numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fast/lanes.h"
#include "heart/numbers.h"
#include "operators/functions.h"
#include "heart/random.h"
#include "heart/rows.h"
#include "suites.h"

#ifdef QKV_DOUBLE
#define ULP 0x1p-52
#else
#define ULP 0x1p-23
#endif

/* |found - wanted| in units of the last place of wanted. */
static double
ulps(double found, double wanted)
{
    return fabs(found - wanted) / (fabs(wanted) * ULP);
}

/* All lanes have what the function of one number gives. */
static real
lanes_agree(Widest v, real one)
{
    for (int i = 0; i < WIDE; i++)
        ck_assert(v[i] == one || (isnan(v[i]) && isnan(one)));
    return one;
}

static real
exponential_of(double x)
{
    return lanes_agree(exponentials(broadcast((real)x)), exponential((real)x));
}

static real
tangent_of(double x)
{
    return lanes_agree(tangents(broadcast((real)x)),
                       hyperbolic_tangent((real)x));
}

TEST(exponential_is_close)
{
    double worst = 0;
    for (double x = EXP_LOW; x < -EXP_LOW; x += 0.00371)
        worst =
            fmax(worst, ulps((double)exponential_of(x), exp((double)(real)x)));
    ck_assert_msg(worst < 2, "worst: %g ulp", worst);
    ck_assert(exponential_of(0) == 1);
    ck_assert(exponential_of(EXP_LOW - 1) == 0);
    ck_assert(exponential_of(-INFINITY) == 0);
    ck_assert(isnan(exponential_of(NAN)));
}

TEST(tanh_is_close)
{
    double worst = 0;
    for (double x = 1e-6; x < 25; x *= 1.0007) {
        double wanted = tanh((double)(real)x);
        worst = fmax(worst, ulps((double)tangent_of(x), wanted));
        ck_assert(tangent_of(-x) == -tangent_of(x));
    }
    ck_assert_msg(worst < 4, "worst: %g ulp", worst);
    ck_assert(tangent_of(0) == 0);
    ck_assert(tangent_of(INFINITY) == 1);
    ck_assert(isnan(tangent_of(NAN)));
}

TEST(logarithm_and_sine_are_close)
{
    for (double x = 1e-12; x < 1e12; x *= 1.37)
        ck_assert(fabs(logarithm(x) - log(x)) <= 4e-16 * fabs(log(x)) + 1e-16);
    ck_assert(logarithm(1) == 0);
    for (double x = 0; x < 12; x += 0.013)
        ck_assert(fabs(decay(x) / exp(-x) - 1) < 1e-13);
    for (double x = 12; x < 700; x += 0.71) /* gaps between scores */
        ck_assert(fabs(decay(x) / exp(-x) - 1) < 4e-12);
    for (double x = -40; x < 40; x += 0.0137) {
        for (double far = x; fabs(far) < 0x1p30; far *= 97) {
            double s, c;
            sine_cosine(far, &s, &c);
            ck_assert(fabs(s - sin(far)) <= 0x1p-52);
            ck_assert(fabs(c - cos(far)) <= 0x1p-52);
            if (far == 0)
                break;
        }
    }
}

TEST(rows_of_any_length)
{
    for (int n = 1; n < 70; n++) {
        real x[70], y[70];
        double dot = 0, max = -1e9;
        for (int i = 0; i < n; i++) {
            x[i] = (real)((i * 37 % 11) - 5);
            y[i] = (real)(i % 7 - 3);
            dot += (double)x[i] * (double)y[i];
            max = fmax(max, (double)x[i]);
        }
        ck_assert((double)row_dot(x, y, n) == dot);
        ck_assert((double)row_max(x, n) == max);
    }
}

TEST(softmax_of_anything_sums_to_1)
{
    real x[37], p[37];
    for (int large = 0; large < 2; large++)
        for (int n = 1; n < 37; n++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                x[i] = (real)((large ? 1e4 : 1) * (i * 7 % 5 - 2));
            /* the last ones masked: whatever they hold, their weight is 0 */
            for (int i = n; i < 37; i++)
                x[i] = 1e6;
            memcpy(p, x, sizeof p);
            rows_softmax(p, 37, 1, (real)0.5, n, 0, 37);
            for (int i = n; i < 37; i++)
                ck_assert(p[i] == 0);
            for (int i = 0; i < n; i++) {
                ck_assert(p[i] >= 0 && p[i] <= 1);
                sum += (double)p[i];
            }
            ck_assert(fabs(sum - 1) < 40 * ULP);
        }
    real two[2] = {0, 1};
    rows_softmax(two, 2, 1, 2, 2, 0, 2);
    ck_assert(fabs((double)two[1] - 1 / (1 + exp(-2))) < 4 * ULP);
}

/* The state of seed and purpose is our own; the generator is the published
   one: these are its first outputs from the state 1, 2, 3, 4. */
TEST(generator_is_xoshiro)
{
    Random r = {{1, 2, 3, 4}};
    const uint64_t first[] = {UINT64_C(41943041), UINT64_C(58720359),
                              UINT64_C(3588806011781223),
                              UINT64_C(3591011842654386)};
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(random_bits(&r), first[i]);
}

TEST(streams_are_apart)
{
    Random a = random_stream(1, "training"), b = random_stream(1, "test");
    Random c = random_stream(2, "training"), d = random_stream(1, "training");
    uint64_t x = random_bits(&a);
    ck_assert(x != random_bits(&b));
    ck_assert(x != random_bits(&c));
    ck_assert(x == random_bits(&d));
}

TEST(draws_have_their_moments)
{
    enum { DRAWS = 200000 };
    Random r = random_stream(5, "moments");
    double sum = 0, squares = 0, fourth = 0;
    int count[6] = {0}, order[9], place[9] = {0};
    for (int i = 0; i < DRAWS; i++) {
        double x = random_normal(&r);
        sum += x;
        squares += x * x;
        fourth += x * x * x * x;
        count[random_below(&r, 6)]++;
    }
    ck_assert(fabs(sum / DRAWS) < 0.01);
    ck_assert(fabs(squares / DRAWS - 1) < 0.015);
    ck_assert(fabs(fourth / DRAWS - 3) < 0.1);
    for (int i = 0; i < 6; i++)
        ck_assert(abs(count[i] - DRAWS / 6) < 700);
    for (int i = 0; i < 9000; i++) {
        int seen = 0;
        random_order(&r, order, 9);
        for (int k = 0; k < 9; k++)
            seen |= 1 << order[k];
        ck_assert_int_eq(seen, 511);
        place[order[0]]++;
    }
    for (int k = 0; k < 9; k++)
        ck_assert(abs(place[k] - 1000) < 150);
    ck_assert_int_eq(random_below(&r, 1), 0);
}
