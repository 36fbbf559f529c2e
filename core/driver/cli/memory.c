/* memory.c - whether a run fits into memory, asked before it starts. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/files.h"
#include "driver/cli/memory.h"

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
memory_free(void)
{
    static double found;
    if (found)
        return found;
    double kilobytes = number_after("/proc/meminfo", "MemAvailable:");
    double all =
        (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    found = isnan(kilobytes) ? all : kilobytes * 1024;
    return found = fmin(found, left_in_groups());
}

Limits
limits(double seconds, double bytes)
{
    double all = memory_free();
    return (Limits){seconds, fmin(bytes, all), "",
                    bytes < all ? "its limit is" : "this machine has"};
}

Limits
run_limits(const Options *o, int most)
{
    return (Limits){o->timeout ? o->timeout : INFINITY,
                    o->memory ? o->memory * 1e6 : memory_free() / most,
                    "; --timeout gives more",
                    o->memory  ? "--memory gives"
                    : most > 1 ? "with fewer --jobs there is more, each has"
                               : "this machine has"};
}

/* Counted from what it has now: a sanitizer has terabytes. */
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

void
memory_check(Needs n, Limits l)
{
    char a[32], b[32], c[32], files[32], all[32], have[32];
    double needed = n.weights + n.batch + n.step + n.files;
    if (needed > l.bytes)
        fail("it needs %s: weights, gradients and moments %s, a batch %s, the "
             "matrices of a step %s, its file and log %s; %s %s: make the "
             "model, the batch, the sequences or the file smaller",
             size_text(needed, all), size_text(n.weights, a),
             size_text(n.batch, b), size_text(n.step, c),
             size_text(n.files, files), l.whose, size_text(l.bytes, have));
}
