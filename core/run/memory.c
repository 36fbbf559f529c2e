/* memory.c - the time and memory that a process may use. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/report.h"
#include "run/memory.h"
#include "heart/fail.h"

/* The number after `key` at the start of a line; NaN if there is none. */
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

/* What Linux calls available, or all that is installed; but no more than a
   container's limit (control groups, version 2). One that was set further out,
   as for a step of Slurm's, is not seen. */
double
memory_free(void)
{
    double kilobytes = number_after("/proc/meminfo", "MemAvailable:");
    double all =
        (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return fmin(isnan(kilobytes) ? all : kilobytes * 1024,
                number_after("/sys/fs/cgroup/memory.max", ""));
}

Limits
limits(double seconds, double bytes)
{
    double all = memory_free();
    return (Limits){seconds, fmin(bytes, all), "",
                    bytes < all ? "its limit is" : "this machine has"};
}

/* Added to what it has now: a sanitizer reserves terabytes. */
void
memory_limit(Limits l)
{
    char size[32];
    struct rlimit limit;
    double held = number_after("/proc/self/status", "VmData:");
    double all = l.bytes + (isnan(held) ? 0 : held * 1024);
    if (getrlimit(RLIMIT_DATA, &limit))
        return;
    limit.rlim_cur = limit.rlim_max = (rlim_t)fmin(all, (double)limit.rlim_max);
    if (!setrlimit(RLIMIT_DATA, &limit))
        snprintf(report->limit, sizeof report->limit, " (%s %s)", l.whose,
                 size_text(l.bytes, size));
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
