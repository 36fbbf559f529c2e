/* memory.c - whether a run fits into memory, asked before it starts. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fail.h"
#include "memory.h"

static const double megabyte = 1e6;

/* Bytes that programs can still be given: what Linux says, which counts the
   caches that it would drop, or all there are. */
static double
free_bytes(void)
{
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes ? kilobytes * 1024
                     : (double)sysconf(_SC_PHYS_PAGES) *
                           (double)sysconf(_SC_PAGESIZE);
}

double
memory_share(const Options *o, int most)
{
    return o->memory ? o->memory * megabyte : free_bytes() / most;
}

void
memory_limit(const Options *o)
{
    rlim_t bytes = (rlim_t)(o->memory * megabyte);
    if (o->memory && setrlimit(RLIMIT_DATA, &(struct rlimit){bytes, bytes}))
        fail("--memory %.0f: cannot be set: %s", o->memory, strerror(errno));
}

const char *
size_text(double bytes, char text[32])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    for (bytes /= 1000; bytes >= 1000 && unit < 4; unit++)
        bytes /= 1000;
    snprintf(text, 32, "%.3g %s", bytes, units[unit]);
    return text;
}

void
memory_check(const Options *o, Needs n, double share, int most)
{
    char a[32], b[32], c[32], all[32], have[32], whose[64];
    double needed = n.weights + n.batch + n.step;
    if (needed <= share)
        return;
    if (o->memory)
        snprintf(whose, sizeof whose, "--memory gives");
    else if (most > 1)
        snprintf(whose, sizeof whose, "each of %d --jobs has", most);
    else
        snprintf(whose, sizeof whose, "this machine has");
    fail("it needs %s: weights, gradients and moments %s, a batch %s, the "
         "matrices of a step %s; %s %s: make the model, the batch or the "
         "sequences smaller%s",
         size_text(needed, all), size_text(n.weights, a), size_text(n.batch, b),
         size_text(n.step, c), whose, size_text(share, have),
         !o->memory && most > 1 ? ", or take fewer --jobs" : "");
}
