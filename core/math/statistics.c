/* statistics.c - what several seeds tell. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "math/statistics.h"

#define LEVEL 0.05 /* of a 95% interval */
#define POWER 0.8

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

/* How many values may be left out at each end so that what lies between still
   covers the median with 95%. It is left of all of them if the n seeds fall
   right of it, as n coins show heads. */
static int
left_out(int n)
{
    double chance = ldexp(1, -n), outside = chance; /* of 0 heads */
    for (int k = 0; k < n; k++) {
        chance *= (double)(n - k) / (k + 1);
        outside += chance;
        if (2 * outside > LEVEL)
            return k;
    }
    return 0;
}

Mean
median_interval(double *x, int n)
{
    double middle = median(x, n);
    int k = left_out(n);
    return n == 0 ? (Mean){NAN, NAN, NAN} : (Mean){middle, x[k], x[n - 1 - k]};
}

double
student_p(double t, int freedom)
{
    double sine = fabs(t) / sqrt(freedom + t * t);
    double cosine2 = freedom / (freedom + t * t), term = 1, sum = 0;
    bool odd = freedom % 2;
    for (int k = odd; k < freedom - 1; k += 2) { /* ... cos^k (...) */
        sum += term;
        term *= cosine2 * (k + 1) / (k + 2);
    }
    double inside = odd ? 2 / 3.14159265358979323846 *
                              (asin(sine) + sine * sqrt(cosine2) * sum)
                        : sine * sum;
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
        *(student_p(t, freedom) > p ? &low : &high) = t;
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
    double error = deviation / sqrt(n), aside = error * student_t(LEVEL, n - 1);
    Paired p = {mean, mean - aside, mean + aside, deviation, 1, 1, n};
    if (error <= 1e-9 * size) { /* no spread: signs by chance? */
        p.differ = mean == 0 ? 1 : ldexp(1, 1 - n);
        p.same = fabs(mean) < margin ? ldexp(1, -n) : 1;
    } else {
        double t = (margin - fabs(mean)) / error;
        double above = student_p(t, n - 1) / 2; /* |t|, on one side */
        p.differ = student_p(mean / error, n - 1);
        p.same = t > 0 ? above : 1 - above;
    }
    p.same = isnan(margin) ? NAN : p.same;
    return p;
}

/* P(|Z + centre| < radius) of a standard normal Z. */
static double
within(double centre, double radius)
{
    return radius > 0 ? (erfc((centre - radius) / sqrt(2)) -
                         erfc((centre + radius) / sqrt(2))) /
                            2
                      : 0;
}

/* Both tests compare the mean with t times its standard error, so the chance is
   that of a normal mean, averaged over the error that n seeds find: s times the
   true one, where s^2 (n - 1) is chi-squared. */
double
chance_to_show(double difference, double margin, int n, double alpha)
{
    enum { SLICES = 400 };
    int freedom = n - 1;
    double critical = student_t(isnan(margin) ? alpha : 2 * alpha, freedom);
    double half = freedom / 2., sum = 0, width = (1 + 6 / sqrt(freedom));
    double scale = log(2) + half * log(half) - lgamma(half);
    for (int i = 0; i < SLICES; i++) {
        double s = (i + 0.5) / SLICES * width;
        double density = exp(scale + (freedom - 1) * log(s) - half * s * s);
        double centre = difference * sqrt(n), far = critical * s;
        sum +=
            density * (isnan(margin) ? 1 - within(centre, far)
                                     : within(centre, margin * sqrt(n) - far));
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
        *(chance_to_show(d, NAN, n, alpha) < POWER ? &low : &high) = d;
    }
    return high;
}

static bool
tells(double difference, double margin, int n, double alpha)
{
    return chance_to_show(difference, NAN, n, alpha) >= POWER ||
           chance_to_show(difference, margin, n, alpha) >= POWER;
}

double
seeds_to_tell(double difference, double margin, int n, double alpha)
{
    enum { MOST = 10000 };
    int low = n, high = MOST;
    if (!tells(difference, margin, high, alpha))
        return NAN;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(tells(difference, margin, middle, alpha) ? &high : &low) = middle;
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
        double raised = 0; /* the largest of those that come before it */
        for (int k = 0; k < count && sorted[k] <= p[i]; k++)
            raised = fmax(raised, sorted[k] * fmin(count - k, true_together));
        p[i] = isnan(p[i]) ? p[i] : fmin(raised, 1);
    }
    free(sorted);
}
