/* report.c - what a process tells its parent. */
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

static void
variant_runs(const struct Variant *v, const char *doing)
{
    const Opened *o = opened;
    while (o && o->variant != v)
        o = o->next;
    plugin_runs(o ? o->path : NULL, doing);
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
