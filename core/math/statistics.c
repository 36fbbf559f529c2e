/* statistics.c - intervals, tests, and the number of seeds that a test needs.

   Values for which there is no formula, such as the t for a given p, are found
   by bisection: an interval that contains the value is halved repeatedly. */
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "math/statistics.h"

/* The probability that a 95% interval misses the true value. */
#define LEVEL 0.05
/* The probability with which a test should show a true effect. */
#define POWER 0.8

/* Compares two numbers, for qsort. */
static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The mean of n values; NaN if n is 0. */
static double
mean_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

/* The variance, estimated from n values; 0 if n is 1. */
static double
variance_of(const double *x, int n)
{
    double mean = mean_of(x, n), squares = 0;
    for (int i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? squares / (n - 1) : 0;
}

Mean
mean_interval(const double *x, int n)
{
    double mean = mean_of(x, n);
    double standard_error = sqrt(variance_of(x, n) / n);
    /* With 1 for t, the interval of two values goes from one to the other. */
    double t = n < INTERVAL_SEEDS ? 1 : student_t(LEVEL, n - 1);
    return (Mean){mean, mean - standard_error * t, mean + standard_error * t};
}

/* The most values that can be dropped at each end of n sorted values if the
   range of the rest must cover the true median in at least 95% of cases. If
   even the range of all n values does so less often, the result is 0, too.

   Each value is below the true median with probability 1/2, as a coin shows
   heads. With k values dropped at each end, the range misses the median if at
   most k values are below it, or at most k above it: if at most k of n coins
   show heads, or at most k show tails. The loop finds the first k + 1 that is
   too many. */
static int
droppable(int n)
{
    double exactly = ldexp(1, -n); /* the probability of exactly k heads */
    double at_most = exactly;      /* the probability of at most k heads */
    for (int k = 0; k < n; k++) {
        exactly *= (double)(n - k) / (k + 1); /* now of exactly k + 1 heads */
        at_most += exactly;
        if (2 * at_most > LEVEL)
            return k;
    }
    return 0;
}

/* Sorts a copy of x, because callers pair the values of x with another list by
   their order. */
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

/* The regularized incomplete beta function I_x(a, b), with y = 1 - x, is
   x^a y^b / (a B(a, b) F), with the continued fraction
   F = 1 + d_1 / (1 + d_2 / (1 + ...)) of Abramowitz and Stegun (1964), 26.5.8.
   It converges fast if x < (a + 1) / (a + b + 2). Lentz's method computes F as
   a product. Factor k is F cut off after d_k, divided by F cut off before d_k.
   As each F is a fraction, this is the ratio of their numerators (`above`)
   times the inverse ratio of their denominators (`below`). */
static double
incomplete_beta(double x, double y, double a, double b)
{
    const double rounding = 4e-16; /* two units in the last place of 1 */
    double above = 1, below = 0, fraction = 1, factor = 0;
    for (int k = 1; fabs(factor - 1) > rounding; k++) {
        int m = k / 2;
        double d = m * (b - m);
        if (k % 2)
            d = -(a + m) * (a + b + m);
        d *= x / ((a + k - 1) * (a + k));
        above = 1 + d / above;
        below = 1 / (1 + d * below);
        factor = above * below;
        fraction *= factor;
    }
    double minus_log_beta = lgamma(a + b) - lgamma(a) - lgamma(b);
    return exp(minus_log_beta + a * log(x) + b * log(y)) / (a * fraction);
}

/* p is I_x(freedom / 2, 1 / 2) with x = freedom / (freedom + t^2) (Abramowitz
   and Stegun 26.7.1). It is also 1 - I_y(1 / 2, freedom / 2) with y = 1 - x,
   which is used if it converges faster. */
double
student_p(double t, double freedom)
{
    double a = freedom / 2, b = 0.5;
    double x = 1 / (1 + t * t / freedom), y = 1 / (1 + freedom / (t * t));
    if (x < (a + 1) / (a + b + 2))
        return incomplete_beta(x, y, a, b);
    return 1 - incomplete_beta(y, x, b, a);
}

double
student_t(double p, double freedom)
{
    enum { HALVINGS = 60 };   /* more than the 53 bits of a double */
    double low = 0, high = 1; /* student_p falls as t rises */
    while (student_p(high, freedom) > p)
        high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        double t = (low + high) / 2;
        if (student_p(t, freedom) > p)
            low = t;
        else
            high = t;
    }
    return high;
}

/* Sets the interval and the p-values of a contrast from its mean, error and
   freedom, by Student's t. `same` is the larger of the p-values of two
   one-sided tests, for -margin and for +margin, that is, of the test for the
   margin that is nearer to the mean: P(T > t_to_margin). That is half of
   student_p, or 1 minus that if the mean is beyond the margin. */
static void
test_by_t(Contrast *d, double margin)
{
    double half_width = d->error * student_t(LEVEL, d->freedom);
    double t_to_margin = (margin - fabs(d->mean)) / d->error;
    double tail = student_p(t_to_margin, d->freedom) / 2;
    d->low = d->mean - half_width;
    d->high = d->mean + half_width;
    d->differ = student_p(d->mean / d->error, d->freedom);
    d->same = t_to_margin > 0 ? tail : 1 - tail; /* NaN without a margin */
}

/* Returns whether the standard error is so small, compared with the n values x
   and the m values base, that it may be only rounding. Then t is not defined.
 */
static bool
no_spread(double error, const double *x, int n, const double *base, int m)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < m; i++)
        largest = fmax(largest, fabs(base[i]));
    const double rounding = 1e-13; /* far more than one double's: 1e-16 */
    return error <= rounding * largest;
}

const Contrast unknown_contrast = {NAN, NAN, NAN, NAN,   NAN, NAN,
                                   NAN, NAN, NAN, false, 0};

Contrast
paired_t(const double *x, const double *base, int n, double margin)
{
    /* + 1, because n may be 0 */
    double *differences = allocate((size_t)n + 1, sizeof *differences);
    for (int i = 0; i < n; i++)
        differences[i] = x[i] - base[i];
    double mean = mean_of(differences, n);
    double variance = variance_of(differences, n);
    Contrast d = unknown_contrast;
    d.n = n;
    free(differences);
    if (n < 2 || !isfinite(mean))
        return d;
    d.mean = mean;
    d.deviation = sqrt(variance);
    d.error = sqrt(variance / n);
    d.freedom = n - 1;
    d.per_seed = 1; /* one more pair adds one degree of freedom */
    test_by_t(&d, margin);
    d.by_signs = no_spread(d.error, x, n, base, n);
    if (d.by_signs) {
        /* If a difference is positive in half of all cases, n of them have the
           same sign with probability 2^(1 - n). */
        d.differ = mean == 0 ? 1 : ldexp(1, 1 - n);
        /* If a difference is at least the margin in half of all cases, all n
           are below the margin with probability 2^-n. */
        if (!isnan(margin))
            d.same = fabs(mean) < margin ? ldexp(1, -n) : 1;
    }
    return d;
}

Contrast
welch_t(const double *x, int n, const double *base, int m, double margin)
{
    double mean = mean_of(x, n) - mean_of(base, m);
    double v = variance_of(x, n), w = variance_of(base, m); /* of a value */
    double of_x = v / n, of_base = w / m; /* the variances of the two means */
    Contrast d = unknown_contrast;
    d.n = n < m ? n : m;
    if (d.n < 2 || !isfinite(mean))
        return d;
    d.mean = mean;
    d.deviation = sqrt(v + w);
    d.error = sqrt(of_x + of_base);
    if (no_spread(d.error, x, n, base, m)) {
        d.mean = x[0] - base[0]; /* without the rounding of a sum */
        d.deviation = 0;
        d.differ = d.mean == 0 ? 1 : NAN;
        return d;
    }
    /* Welch's formula, (of_x + of_base)^2 / (of_x^2 / (n - 1) + of_base^2 / (m
       - 1)), by shares of the variances, since the square of a variance may be
       0 or infinite. If m = n, it is per_seed times n - 1. */
    double share_of_x = of_x / (of_x + of_base);
    double share_of_base = of_base / (of_x + of_base);
    double share_of_v = v / (v + w), share_of_w = w / (v + w);
    d.freedom = 1 / (share_of_x * share_of_x / (n - 1) +
                     share_of_base * share_of_base / (m - 1));
    d.per_seed = 1 / (share_of_v * share_of_v + share_of_w * share_of_w);
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

/* A test compares the mean with an estimate of its standard error, which is s
   times the true standard error; s^2 freedom is chi-squared. For a given s, the
   normal distribution gives the probability that the mean passes the test. The
   result is the average of this probability over s, computed as a sum over
   slices of s. s is almost always within 6 / sqrt(freedom) of 1. With
   half = freedom / 2, its density is 2 half^half / Gamma(half) s^(freedom - 1)
   exp(-half s^2).

   The mean shows a difference if it is more than critical s from 0, and
   sameness if it is at least critical s inside the margin, on both sides. These
   are two one-sided tests at the level alpha, which have the critical t of a
   two-sided test at the level 2 alpha. */
double
chance_to_show(double difference, double margin, double freedom, double alpha)
{
    enum { SLICES = 400 };
    bool sameness = !isnan(margin);
    double critical = student_t(sameness ? 2 * alpha : alpha, freedom);
    double half = freedom / 2, sum = 0, reach = 6 / sqrt(freedom);
    /* s is in the range from .. from + width. */
    double from = fmax(0, 1 - reach), width = 1 + reach - from;
    double log_factor = log(2) + half * log(half) - lgamma(half);
    for (int i = 0; i < SLICES; i++) {
        double s = from + (i + 0.5) / SLICES * width; /* middle of slice i */
        double log_power = (freedom - 1) * log(s);
        double density = exp(log_factor + log_power - half * s * s);
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
    enum { HALVINGS = 30 }; /* enough for nine digits */
    double low = 0, high = 1;
    while (chance_to_show(high, NO_MARGIN, freedom, alpha) < POWER)
        high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        double d = (low + high) / 2;
        if (chance_to_show(d, NO_MARGIN, freedom, alpha) < POWER)
            low = d;
        else
            high = d;
    }
    return high;
}

/* Returns whether n seeds show either a difference or sameness within the
   margin with probability POWER, if d->mean is the true difference. */
static bool
enough_seeds(const Contrast *d, double margin, int n, double alpha)
{
    double error = d->deviation / sqrt(n), freedom = d->per_seed * (n - 1);
    double difference = d->mean / error;
    return chance_to_show(difference, NO_MARGIN, freedom, alpha) >= POWER ||
           chance_to_show(difference, margin / error, freedom, alpha) >= POWER;
}

double
seeds_to_tell(const Contrast *d, double margin, double alpha)
{
    enum { MOST_SEEDS = 10000 };
    int low = d->n, high = MOST_SEEDS;
    if (low >= high || !enough_seeds(d, margin, high, alpha))
        return NAN;
    while (high - low > 1) { /* the result is above low, and at most high */
        int middle = (low + high) / 2;
        if (enough_seeds(d, margin, middle, alpha))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Holm multiplies the k-th smallest of `count` p-values (k from 0, NaN left
   out) by count - k, the number of hypotheses that can still be true, or by
   true_together if that is less, and raises each product to the largest product
   of a smaller p-value. */
void
holm(double *p, int n, int true_together)
{
    double *sorted = allocate((size_t)n + 1, sizeof *sorted); /* n may be 0 */
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(p[i]))
            sorted[count++] = p[i];
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
