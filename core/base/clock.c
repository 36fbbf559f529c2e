/* clock.c - the time, for measuring how long something takes. */
#include <time.h>

#include "base/clock.h"

double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
