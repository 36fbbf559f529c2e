/* statistics.c - intervals, tests, and the number of seeds that a test needs.

   Values that have no formula, such as the t of a given p, are found by
   bisection: the interval that contains the value is halved again and again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "math/statistics.h"

#define LEVEL 0.05 /* the probability that a 95% interval misses */
#define POWER                                                        \
    0.8 /* the probability that a test shall have of showing what is \
           true */

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double
mean_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

/* The variance of the population that x is a sample of. */
static double
variance_of(const double *x, int n)
{
    double mean = mean_of(x, n), squares = 0;
    for (int i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? squares / (n - 1) : 0;
}

/* With 1 instead of t, the interval of two values is from one to the other. */
Mean
mean_interval(const double *x, int n)
{
    double mean = mean_of(x, n);
    double error = sqrt(variance_of(x, n) / n);
    double t = n < INTERVAL_SEEDS ? 1 : student_t(LEVEL, n - 1);
    return (Mean){mean, mean - error * t, mean + error * t};
}

/* How many of n sorted values can be dropped at each end so that the rest still
   cover the true median in 95% of cases. Each value is below that median with
   probability 1/2, like a coin that shows heads. So the probability that at
   most k values are below it is that of at most k heads among n coins; the
   interval misses if that happens below or above. */
static int
droppable(int n)
{
    double exactly = ldexp(1, -n); /* the probability of exactly k heads */
    double at_most = exactly;      /* and of at most k heads */
    for (int k = 0; k < n; k++) {
        exactly *= (double)(n - k) / (k + 1); /* now of k + 1 */
        at_most += exactly;
        if (2 * at_most > LEVEL)
            return k;
    }
    return 0;
}

/* x stays in its order, which pairs each value with one of another list. */
Mean
median_interval(const double *x, int n)
{
    if (n == 0)
        return (Mean){NAN, NAN, NAN};
    double *sorted = allocate((size_t)n, sizeof *sorted);
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    double middle = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    int k = droppable(n);
    Mean m = {middle, sorted[k], sorted[n - 1 - k]};
    free(sorted);
    return m;
}

double
median(const double *x, int n)
{
    return median_interval(x, n).mean;
}

/* The regularized incomplete beta function I_x(a, b), where y = 1 - x, by the
   continued fraction 26.5.8 of Abramowitz and Stegun (1964). Lentz's method
   multiplies by one factor per term until a factor is 1, up to rounding. It
   converges fast if x < (a + 1) / (a + b + 2). */
static double
incomplete_beta(double x, double y, double a, double b)
{
    double above = 1, below = 0, fraction = 1, factor = 0;
    for (int k = 1; fabs(factor - 1) > 4e-16; k++) {
        int m = k / 2;
        double term = m * (b - m);
        if (k % 2)
            term = -(a + m) * (a + b + m);
        term *= x / ((a + k - 1) * (a + k));
        above = 1 + term / above;
        below = 1 / (1 + term * below);
        factor = above * below;
        fraction *= factor;
    }
    double scale = lgamma(a + b) - lgamma(a) - lgamma(b);
    return exp(scale + a * log(x) + b * log(y)) / (a * fraction);
}

/* It is I_x(freedom / 2, 1 / 2), with x = freedom / (freedom + t^2); or
   1 - I_y(1 / 2, freedom / 2), with y = 1 - x, if that converges faster
   (Abramowitz and Stegun 26.7.1). */
double
student_p(double t, double freedom)
{
    double half = freedom / 2;
    double x = 1 / (1 + t * t / freedom), y = 1 / (1 + freedom / (t * t));
    if (x < (half + 1) / (half + 2.5))
        return incomplete_beta(x, y, half, 0.5);
    return 1 - incomplete_beta(y, x, 0.5, half);
}

double
student_t(double p, double freedom)
{
    double low = 0, high = 1; /* student_p falls as t rises */
    while (student_p(high, freedom) > p)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        double t = (low + high) / 2;
        if (student_p(t, freedom) > p)
            low = t;
        else
            high = t;
    }
    return high;
}

/* Fills in the interval and the p-values of a difference, from its mean, its
   standard error and the degrees of freedom. `same` is the p-value of
   equivalence within +-margin: the larger of those of two one-sided tests
   (TOST), which is that for the nearer margin. */
static void
test_by_t(Contrast *d, double margin)
{
    double half_width = d->error * student_t(LEVEL, d->freedom);
    double t = (margin - fabs(d->mean)) / d->error;
    double above = student_p(t, d->freedom) / 2; /* P(T > |t|) */
    d->low = d->mean - half_width;
    d->high = d->mean + half_width;
    d->differ = student_p(d->mean / d->error, d->freedom);
    d->same = t > 0 ? above : 1 - above; /* NaN if the margin is NaN */
}

/* Is the standard error so small, compared with the values, that it may be only
   the rounding of values that are in fact equal? */
static bool
no_spread(double error, const double *x, int n, const double *base, int m)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    for (int i = 0; i < m; i++)
        size = fmax(size, fabs(base[i]));
    return error <= 1e-9 * size;
}

const Contrast unknown_contrast = {NAN, NAN, NAN, NAN,   NAN, NAN,
                                   NAN, NAN, NAN, false, 0};

/* The p-values by signs: n coins all show the same side with probability
   2^(1 - n). If each difference were at least the margin in half of all cases,
   all n would be below it with probability 2^-n. */
Contrast
paired_t(const double *x, const double *base, int n, double margin)
{
    double *apart = allocate((size_t)n + 1, sizeof *apart);
    for (int i = 0; i < n; i++)
        apart[i] = x[i] - base[i];
    double mean = mean_of(apart, n), variance = variance_of(apart, n);
    Contrast d = unknown_contrast;
    d.n = n;
    free(apart);
    if (n < 2 || !isfinite(mean))
        return d;
    d.mean = mean;
    d.deviation = sqrt(variance);
    d.error = sqrt(variance / n);
    d.freedom = n - 1;
    d.per_seed = 1;
    test_by_t(&d, margin);
    d.by_signs = no_spread(d.error, x, n, base, n);
    if (d.by_signs) {
        d.differ = mean == 0 ? 1 : ldexp(1, 1 - n);
        if (!isnan(margin))
            d.same = fabs(mean) < margin ? ldexp(1, -n) : 1;
    }
    return d;
}

Contrast
welch_t(const double *x, int n, const double *base, int m, double margin)
{
    double mean = mean_of(x, n) - mean_of(base, m);
    double v = variance_of(x, n), w = variance_of(base, m); /* of one value */
    double a = v / n, b = w / m;                            /* of the means */
    Contrast d = unknown_contrast;
    d.n = n < m ? n : m;
    if (d.n < 2 || !isfinite(mean))
        return d;
    d.mean = mean;
    d.deviation = sqrt(v + w);
    d.error = sqrt(a + b);
    if (no_spread(d.error, x, n, base, m)) {
        d.mean = x[0] - base[0]; /* exact: a mean of many is rounded */
        d.deviation = 0;
        d.differ = d.mean == 0 ? 1 : NAN;
        return d;
    }
    /* Welch 1947; and its increase per seed if both have the same n. */
    d.freedom = (a + b) * (a + b) / (a * a / (n - 1) + b * b / (m - 1));
    d.per_seed = (v + w) * (v + w) / (v * v + w * w);
    test_by_t(&d, margin);
    return d;
}

/* P(|Z + centre| < radius) for a standard normal Z. */
static double
normal_within(double centre, double radius)
{
    if (radius <= 0)
        return 0;
    return (erfc((centre - radius) / sqrt(2)) -
            erfc((centre + radius) / sqrt(2))) /
           2;
}

/* Each test compares the mean with its standard error, which is estimated: it
   is s times the true one, where s^2 freedom is chi-squared. For a given s, the
   normal distribution tells how probable it is that the mean passes the test.
   The result is the average of that over s, a sum over slices; s is within 6 /
   sqrt(freedom) of 1 in all but a negligible part of cases. The density of s is
   2 (freedom / 2)^(freedom / 2) / Gamma(freedom / 2) s^(freedom - 1)
   exp(-freedom s^2 / 2). */
double
chance_to_show(double difference, double margin, double freedom, double alpha)
{
    enum { SLICES = 400 };
    bool sameness = !isnan(margin);
    double critical = student_t(sameness ? 2 * alpha : alpha, freedom);
    double half = freedom / 2, sum = 0, reach = 6 / sqrt(freedom);
    double from = fmax(0, 1 - reach), width = 1 + reach - from;
    double scale = log(2) + half * log(half) - lgamma(half);
    for (int i = 0; i < SLICES; i++) {
        double s = from + (i + 0.5) / SLICES * width;
        double density = exp(scale + (freedom - 1) * log(s) - half * s * s);
        double threshold = critical * s, passes;
        if (sameness)
            passes = normal_within(difference, margin - threshold);
        else
            passes = 1 - normal_within(difference, threshold);
        sum += density * passes;
    }
    return sum * width / SLICES;
}

double
detectable(double freedom, double alpha)
{
    double low = 0, high = 1;
    while (chance_to_show(high, NAN, freedom, alpha) < POWER)
        high *= 2;
    for (int i = 0; i < 30; i++) {
        double d = (low + high) / 2;
        if (chance_to_show(d, NAN, freedom, alpha) < POWER)
            low = d;
        else
            high = d;
    }
    return high;
}

/* Are n seeds likely to show either a difference or sameness? */
static bool
enough_seeds(const Contrast *d, double margin, int n, double alpha)
{
    double error = d->deviation / sqrt(n), freedom = d->per_seed * (n - 1);
    double mean = d->mean / error;
    return chance_to_show(mean, NAN, freedom, alpha) >= POWER ||
           chance_to_show(mean, margin / error, freedom, alpha) >= POWER;
}

double
seeds_to_tell(const Contrast *d, double margin, double alpha)
{
    enum { MOST = 10000 };
    int low = d->n, high = MOST;
    if (low >= high || !enough_seeds(d, margin, high, alpha))
        return NAN;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (enough_seeds(d, margin, middle, alpha))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* The k-th smallest of m p-values is multiplied by m - k + 1, the number of
   hypotheses that can still be true. Then each adjusted p-value is raised to
   the largest of those of smaller p-values. */
void
holm(double *p, int n, int true_together)
{
    double *sorted = allocate((size_t)n + 1, sizeof *sorted);
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(p[i])) {
            sorted[count] = p[i];
            count++;
        }
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    for (int i = 0; i < n; i++) {
        double adjusted = 0;
        if (isnan(p[i]))
            continue;
        for (int k = 0; k < count && sorted[k] <= p[i]; k++) {
            double factor = fmin(count - k, true_together);
            adjusted = fmax(adjusted, sorted[k] * factor);
        }
        p[i] = fmin(adjusted, 1);
    }
    free(sorted);
}
