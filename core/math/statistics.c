/* statistics.c - intervals, tests, and the number of seeds that a test needs.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "math/statistics.h"

#define LEVEL 0.05 /* the chance that a 95% interval misses */
#define POWER 0.8  /* the chance to show a difference that is there */

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

static double
deviation_of(const double *x, int n)
{
    double mean = mean_of(x, n), squares = 0;
    for (int i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? sqrt(squares / (n - 1)) : 0;
}

Mean
mean_interval(const double *x, int n)
{
    double mean = mean_of(x, n);
    double error = deviation_of(x, n) / sqrt(n);
    double t = n < INTERVAL_SEEDS ? 1 : student_t(LEVEL, n - 1);
    return (Mean){mean, mean - error * t, mean + error * t};
}

double
median(double *x, int n)
{
    if (n == 0)
        return NAN;
    qsort(x, (size_t)n, sizeof *x, ascending);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* How many of n sorted values can be dropped at each end so that the rest still
   cover the true median in 95% of cases. Each value is below that median with
   probability 1/2, like a coin that shows heads. So at most k values are below
   it as often as n coins show at most k heads. */
static int
droppable(int n)
{
    double chance = ldexp(1, -n), outside = chance; /* of no heads */
    for (int k = 0; k < n; k++) {
        chance *= (double)(n - k) / (k + 1); /* of k + 1 heads */
        outside += chance;
        if (2 * outside > LEVEL)
            return k;
    }
    return 0;
}

Mean
median_interval(double *x, int n)
{
    if (n == 0)
        return (Mean){NAN, NAN, NAN};
    double middle = median(x, n); /* which sorts x */
    int k = droppable(n);
    return (Mean){middle, x[k], x[n - 1 - k]};
}

double
student_p(double t, int freedom)
{
    double sine = fabs(t) / sqrt(freedom + t * t);
    double cosine2 = freedom / (freedom + t * t), term = 1, sum = 0;
    bool odd = freedom % 2;
    for (int k = odd; k < freedom - 1; k += 2) {
        sum += term; /* that of cos^k; for odd k, a factor cos is outside */
        term *= cosine2 * (k + 1) / (k + 2);
    }
    double inside = sine * sum; /* P(|T| < |t|) */
    if (odd)
        inside = 2 / 3.14159265358979323846 *
                 (asin(sine) + sine * sqrt(cosine2) * sum);
    return inside < 1 ? 1 - inside : 0;
}

double
student_t(double p, int freedom)
{
    double low = 0, high = 1;
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

Paired
paired_t(const double *x, const double *base, int n, double margin)
{
    double *d = allocate((size_t)n + 1, sizeof *d), size = 0;
    for (int i = 0; i < n; i++) {
        d[i] = x[i] - base[i];
        size = fmax(size, fmax(fabs(x[i]), fabs(base[i])));
    }
    double mean = mean_of(d, n), deviation = deviation_of(d, n);
    free(d);
    if (n < 2 || !isfinite(mean))
        return (Paired){NAN, NAN, NAN, NAN, NAN, NAN, n};
    double error = deviation / sqrt(n);
    double half_width = error * student_t(LEVEL, n - 1);
    Paired p = {mean, mean - half_width, mean + half_width, deviation, 1, 1, n};
    if (error <= 1e-9 * size) { /* no spread, so only the signs can be tested */
        p.differ = mean == 0 ? 1 : ldexp(1, 1 - n);
        p.same = fabs(mean) < margin ? ldexp(1, -n) : 1;
    } else {
        double t = (margin - fabs(mean)) / error;
        double above = student_p(t, n - 1) / 2; /* P(T > |t|) */
        p.differ = student_p(mean / error, n - 1);
        p.same = t > 0 ? above : 1 - above;
    }
    if (isnan(margin))
        p.same = NAN;
    return p;
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

/* Each test compares the mean with its standard error, which is estimated from
   n seeds: it is s times the true one, and s^2 (n - 1) is chi-squared. For a
   given s, the mean passes the test with a probability of the normal
   distribution. The result is its average over s, an integral as a sum over
   slices. */
double
chance_to_show(double difference, double margin, int n, double alpha)
{
    enum { SLICES = 400 };
    int freedom = n - 1;
    bool sameness = !isnan(margin);
    double critical = student_t(sameness ? 2 * alpha : alpha, freedom);
    double centre = difference * sqrt(n);
    double half = freedom / 2., sum = 0, width = (1 + 6 / sqrt(freedom));
    double scale = log(2) + half * log(half) - lgamma(half);
    for (int i = 0; i < SLICES; i++) {
        double s = (i + 0.5) / SLICES * width;
        double density = exp(scale + (freedom - 1) * log(s) - half * s * s);
        double threshold = critical * s, passes;
        if (sameness)
            passes = normal_within(centre, margin * sqrt(n) - threshold);
        else
            passes = 1 - normal_within(centre, threshold);
        sum += density * passes;
    }
    return sum * width / SLICES;
}

double
detectable(int n, double alpha)
{
    double low = 0, high = 1;
    while (chance_to_show(high, NAN, n, alpha) < POWER)
        high *= 2;
    for (int i = 0; i < 30; i++) {
        double d = (low + high) / 2;
        if (chance_to_show(d, NAN, n, alpha) < POWER)
            low = d;
        else
            high = d;
    }
    return high;
}

/* Are n seeds likely to show one or the other? */
static bool
enough_seeds(double difference, double margin, int n, double alpha)
{
    return chance_to_show(difference, NAN, n, alpha) >= POWER ||
           chance_to_show(difference, margin, n, alpha) >= POWER;
}

double
seeds_to_tell(double difference, double margin, int n, double alpha)
{
    enum { MOST = 10000 };
    int low = n, high = MOST;
    if (!enough_seeds(difference, margin, high, alpha))
        return NAN;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (enough_seeds(difference, margin, middle, alpha))
            high = middle;
        else
            low = middle;
    }
    return high;
}

void
holm(double *p, int n, int true_together)
{
    double *sorted = allocate((size_t)n + 1, sizeof *sorted);
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(p[i]))
            sorted[count++] = p[i];
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    for (int i = 0; i < n; i++) {
        double adjusted = 0; /* never less than that of a smaller p */
        if (isnan(p[i]))
            continue;
        for (int k = 0; k < count && sorted[k] <= p[i]; k++)
            adjusted =
                fmax(adjusted, sorted[k] * fmin(count - k, true_together));
        p[i] = fmin(adjusted, 1);
    }
    free(sorted);
}
