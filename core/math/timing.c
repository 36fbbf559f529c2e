/* timing.c - how long work takes, beside what the machine can do.

   A time is the median of several repeats, between which the machine's peak is
   measured again: shares of it are ratios taken side by side, which a noisy
   machine spoils least. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "math/rows.h"
#include "math/statistics.h"
#include "math/timing.h"
#include "math/vector.h"

enum { REPEATS = 7 };
static const double seconds_each = 0.03; /* a repeat lasts at least so long */

/* Seconds a run takes, in runs that last long enough together. */
static double
once(const Work *w)
{
    for (int runs = 1;; runs *= 2) {
        double start = now();
        for (int i = 0; i < runs; i++)
            w->run(w->more);
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
measure(Work w)
{
    double found[REPEATS], peaks[REPEATS];
    real start[2 + CHAINS] = {(real)0.999, (real)0.001};
    Work peak = {run_peak, start};
    w.run(w.more); /* warm */
    for (int i = 0; i < REPEATS; i++) {
        peaks[i] = peak_flops / once(&peak);
        found[i] = once(&w);
    }
    return (Timing){median(found, REPEATS), median(peaks, REPEATS)};
}

Timing
measure_peak(double *flops)
{
    real start[2 + CHAINS] = {(real)0.999, (real)0.001};
    *flops = peak_flops;
    return measure((Work){run_peak, start});
}

/* Reads more than the caches hold, a row at a time. */
enum { READ_ROWS = 1 << 14, READ_WIDTH = 4096 / sizeof(real) };

static void
run_read(void *more)
{
    const real *x = more;
    real sum = 0;
    for (int i = 0; i < READ_ROWS; i++)
        sum += row_sum(x + (size_t)i * READ_WIDTH, READ_WIDTH);
    ((volatile real *)more)[0] = sum * 0;
}

double
measure_reading(void)
{
    size_t count = (size_t)READ_ROWS * READ_WIDTH;
    real *x = allocate(count, sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = (real)1e-6;
    Timing t = measure((Work){run_read, x});
    free(x);
    return (double)(count * sizeof *x) / t.seconds;
}
