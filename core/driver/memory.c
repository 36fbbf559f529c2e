/* memory.c - whether a run fits into memory, asked before it starts. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fail.h"
#include "files.h"
#include "memory.h"

static const double megabyte = 1e6;

/* The number behind `key`, which a line of the file begins with; NaN where
   there is none. */
static double
number_after(const char *path, const char *key)
{
    char line[256];
    double number = NAN;
    FILE *file = fopen(path, "r");
    while (file && isnan(number) && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)))
            sscanf(line + strlen(key), "%lf", &number);
    if (file)
        fclose(file);
    return number;
}

/* What a control group leaves its programs (Linux's version 2: containers, jobs
   of Slurm): its limit, less what it holds but for caches of files. */
static double
left_in_group(const char *group)
{
    Path limit = within(group, "memory.max");
    double most = number_after(limit.text, "");
    double held = number_after(within(group, "memory.current").text, "");
    double cache =
        number_after(within(group, "memory.stat").text, "inactive_file ");
    return isnan(most)   ? INFINITY
           : isnan(held) ? most
                         : most - held + (isnan(cache) ? 0 : cache);
}

/* The least that this program's group and those around it leave. */
static double
left_in_groups(void)
{
    char line[3000];
    double left = left_in_group("/sys/fs/cgroup");
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::/", 4))
            continue;
        line[strcspn(line, "\n")] = 0;
        for (char *end; (end = strrchr(line + 3, '/')) && end[1]; *end = 0)
            left = fmin(left,
                        left_in_group(within("/sys/fs/cgroup", line + 4).text));
    }
    if (file)
        fclose(file);
    return fmax(left, 0);
}

/* Bytes that programs can still be given: what Linux says, which counts the
   caches that it would drop, or all there are; and no more than a container
   has. */
static double
free_bytes(void)
{
    double kilobytes = number_after("/proc/meminfo", "MemAvailable:");
    double all =
        (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return fmin(isnan(kilobytes) ? all : kilobytes * 1024, left_in_groups());
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
