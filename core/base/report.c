/* report.c - what a process that runs plugins tells its parent. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"

static Report own = {.doing = ""};
Report *report = &own;

/* Leaves the message to the parent, which prints it, and ends this process
   without the exit handlers that a plugin may have installed. After a bug it
   returns: abort() follows, which the parent sees. */
static void
store(int status, const char *message)
{
    snprintf(report->text, sizeof report->text, "%s", message);
    if (status == ABORTED)
        return;
    fflush(NULL);
    _exit(status);
}

static FILE *results; /* the program's stdout, if printing_apart has set it */

/* Returns false if this C library's stdout cannot be set. */
static bool
set_stdout(FILE *file)
{
#if defined __GLIBC__ || defined __APPLE__ || defined __FreeBSD__
    stdout = file;
    return true;
#else
    (void)file;
    return false;
#endif
}

void
printing_apart(void)
{
    int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (kept < 0) /* stdout is closed, which end_well will report */
        return;
    FILE *ours = fdopen(kept, "w");
    if (!ours || !set_stdout(ours)) /* no file for writing: it was closed */
        return;
    results = ours;
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

void
plugin_runs(const char *path, const char *doing)
{
    if (path)
        snprintf(report->plugin, sizeof report->plugin, "%s", path);
    if (*doing)
        report->calls++;
    report->doing = doing;
    if (results)
        set_stdout(*doing ? stderr : results);
}

/* The files of the variants that were opened, in a list. */
typedef struct Opened {
    const struct Variant *variant;
    const char *path;
    struct Opened *next;
} Opened;
static Opened *opened;

void
plugin_opened(const struct Variant *v, const char *path)
{
    Opened *o = allocate(1, sizeof *o);
    *o = (Opened){v, path, opened};
    opened = o;
}

/* Calls plugin_runs for the plugin that the variant is from. */
static void
variant_runs(const struct Variant *v, const char *doing)
{
    const Opened *o = opened;
    while (o && o->variant != v)
        o = o->next;
    plugin_runs(o ? o->path : NULL, doing);
}

/* Sets the hooks of heart/fail.h and of this file: from now on a failure is
   stored in r, and so is each call of a variant's code. */
void
report_to(Report *r)
{
    report = r;
    whose_memory = r->limit;
    on_failure = store;
    enter = variant_runs;
}

int
end_well(int status)
{
    if (fflush(stdout) || ferror(stdout))
        fail("stdout: could not write it: is the disk full, or did the program "
             "that reads it exit?");
    report->done = true;
    return status;
}
