/* statistics.c - what is said of several seeds. */
#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "statistics.h"

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
median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n == 0 ? NAN : (x[(n - 1) / 2] + x[n / 2]) / 2;
}
