/* timing.c - how long work takes, beside what the machine can do.

   A time is the median of several repeats, between which the machine's peak is
   measured again: shares of it are ratios taken side by side, which a noisy
   machine spoils least. */
#include "base/clock.h"
#include "math/statistics.h"
#include "math/timing.h"
#include "math/vector.h"

enum { REPEATS = 7 };
static const double seconds_each = 0.03; /* a repeat lasts at least so long */

/* Seconds a run takes, in runs that last long enough together. */
static double
once(void (*run)(void *more), void *more)
{
    for (int runs = 1;; runs *= 2) {
        double start = now();
        for (int i = 0; i < runs; i++)
            run(more);
        double passed = now() - start;
        if (passed >= seconds_each)
            return passed / runs;
    }
}

/* Multiply-adds in registers alone: 12 chains, to hide what one takes. */
enum { CHAINS = 12, STEPS = 20000 };
static const double peak_flops =
    2. * CHAINS * STEPS * sizeof(Widest) / sizeof(real);

static void
run_peak(void *more)
{
    volatile real *start = more; /* or a compiler sees that nobody looks */
    Widest sum[CHAINS], a = start[0] - (Widest){0}, b = start[1] - (Widest){0};
    for (int i = 0; i < CHAINS; i++)
        sum[i] = start[2 + i] - (Widest){0};
    for (int step = 0; step < STEPS; step++) {
#pragma GCC unroll 16
        for (int i = 0; i < CHAINS; i++)
            sum[i] = FMA_WIDEST(sum[i], a, b);
    }
    for (int i = 0; i < CHAINS; i++)
        start[2 + i] = sum[i][0];
}

Turns
measure_in_turns(void (*first)(void *more), void *first_more,
                 void (*second)(void *more), void *second_more)
{
    double a[REPEATS], b[REPEATS], share[REPEATS];
    first(first_more); /* warm */
    for (int i = 0; i < REPEATS; i++) {
        b[i] = once(second, second_more);
        a[i] = once(first, first_more);
        share[i] = a[i] / b[i];
    }
    return (Turns){{median(a, REPEATS), median(b, REPEATS)},
                   median(share, REPEATS)};
}

Timing
measure(void (*run)(void *more), void *more)
{
    real start[2 + CHAINS] = {(real)0.999, (real)0.001};
    Turns t = measure_in_turns(run, more, run_peak, start);
    return (Timing){t.seconds[0], peak_flops / t.seconds[1]};
}

Timing
measure_peak(void)
{
    real start[2 + CHAINS] = {(real)0.999, (real)0.001};
    Timing t = measure(run_peak, start);
    t.peak = peak_flops / t.seconds;
    return t;
}
