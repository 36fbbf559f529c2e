/* statistics.c - what is said of several seeds. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/fail.h"
#include "math/random.h"
#include "math/statistics.h"

enum { RESAMPLES = 1000 };

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

Mean
bootstrap(const double *x, int n)
{
    double means[RESAMPLES], sum = 0;
    Random r = random_stream(0, "bootstrap");
    for (int i = 0; i < n; i++)
        sum += x[i];
    if (n == 0 || isnan(sum))
        return (Mean){NAN, NAN, NAN};
    for (int k = 0; k < RESAMPLES; k++) {
        means[k] = 0;
        for (int i = 0; i < n; i++)
            means[k] += x[random_below(&r, n)];
        means[k] /= n;
    }
    qsort(means, RESAMPLES, sizeof *means, ascending);
    return (Mean){sum / n, means[RESAMPLES / 40],
                  means[RESAMPLES - 1 - RESAMPLES / 40]};
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

Paired
paired_t(const double *x, const double *base, int n)
{
    double sum = 0, squares = 0, size = 0;
    if (n < 2)
        return (Paired){NAN, NAN, n};
    for (int i = 0; i < n; i++)
        sum += x[i] - base[i];
    for (int i = 0; i < n; i++)
        size = fmax(size, fmax(fabs(x[i]), fabs(base[i])));
    double mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (x[i] - base[i] - mean) * (x[i] - base[i] - mean);
    if (isnan(squares))
        return (Paired){NAN, NAN, n};
    if (sqrt(squares / n) <= 1e-9 * size) /* no spread: signs by chance? */
        return (Paired){mean, mean == 0 ? 1 : ldexp(1, 1 - n), n};
    double error = sqrt(squares / (n - 1) / n);
    return (Paired){mean, student_p(mean / error, n - 1), n};
}

void
holm(double *p, int n)
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
            raised = fmax(raised, sorted[k] * (count - k));
        p[i] = isnan(p[i]) ? p[i] : fmin(raised, 1);
    }
    free(sorted);
}

double
median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n == 0 ? NAN : (x[(n - 1) / 2] + x[n / 2]) / 2;
}
