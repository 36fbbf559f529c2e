/* rows.c - the inner loops over the rows of a matrix, with SIMD vectors. They
   compute the same bits as core/heart/rows.c. */
#include "fast/lanes.h"
#include "fast/threads.h"
#include "heart/rows.h"

enum { UNSCALED = 1 }; /* the factor in rows that are not scaled */

real
row_dot(const real *x, const real *y, int n)
{
    return lane_dot(x, y, n);
}

real
row_max(const real *x, int n)
{
    return lane_max(x, UNSCALED, n, n);
}

void
row_softmax(real *x, int n, int all)
{
    real max = lane_max(x, UNSCALED, n, all);
    real sum = lane_exponentials(x, UNSCALED, n, all, max);
    lane_scale(x, 1 / sum, all);
}

double
row_probabilities(real *x, int n)
{
    real max = lane_max(x, UNSCALED, n, n);
    real sum = lane_exponentials(x, UNSCALED, n, n, max);
    for (int j = 0; j < n; j++)
        x[j] /= sum;
    return logarithm((double)sum) + (double)max;
}

/* The arguments of tanh_entries, which its threads share. */
typedef struct Entries {
    real *y;
    const real *x;
} Entries;

static void
tanh_range(void *entries, long from, long to)
{
    const Entries *e = entries;
    for (long i = from; i < to; i += LANES) {
        Widest v[PARTS];
        load(v, e->x + i, to - i);
        EACH_PART v[p] = tangents(v[p]);
        store(e->y + i, v, to - i);
    }
}

void
tanh_entries(real *y, const real *x, size_t n)
{
    Entries e = {y, x};
    parallel_for((long)n, tanh_range, &e);
}
