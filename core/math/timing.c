/* timing.c - how long work takes, beside what the machine can do.

   A time is the median of several repeats, between which the machine's peak is
   measured again: shares of it are ratios taken side by side, which a noisy
   machine spoils least. */
#include "base/clock.h"
#include "fast/vector.h"
#include "math/statistics.h"
#include "math/timing.h"

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

Timing
measure(void (*run)(void *more), void *more)
{
    real start[2 + CHAINS] = {(real)0.999, (real)0.001};
    double seconds[REPEATS], peak[REPEATS];
    run(more); /* warm */
    for (int i = 0; i < REPEATS; i++) {
        peak[i] = once(run_peak, start);
        seconds[i] = once(run, more);
    }
    return (Timing){median(seconds, REPEATS),
                    peak_flops / median(peak, REPEATS)};
}

Timing
measure_peak(void)
{
    real start[2 + CHAINS] = {(real)0.999, (real)0.001};
    Timing t = measure(run_peak, start);
    t.peak = peak_flops / t.seconds;
    return t;
}
