/* report.c - what a process tells its parent. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"

static Report own = {.doing = ""};
Report *report = &own;

/* Its parent prints the message. The child ends without the exit handlers that
   a plugin may have installed. */
static void
store(int status, const char *message)
{
    snprintf(report->text, sizeof report->text, "%s", message);
    if (status == ABORTED)
        return;
    fflush(stdout);
    _exit(status);
}

void
plugin_runs(const char *path, const char *doing)
{
    if (path)
        snprintf(report->plugin, sizeof report->plugin, "%s", path);
    if (*doing)
        report->calls++;
    report->doing = doing;
}

/* The plugin that a variant is in, the loader knows. */
static void
variant_runs(const struct Variant *v, const char *doing)
{
    Dl_info of;
    plugin_runs(v && dladdr(v, &of) ? of.dli_fname : NULL, doing);
}

void
watched(Report *r)
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
        fail("stdout: cannot be written; is the disk full, its reader gone?");
    report->done = true;
    return status;
}
