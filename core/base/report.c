/* report.c - what a process tells its parent. */
#include <stdlib.h>
#include <unistd.h>

#include "base/report.h"

static Report own = {.running = {.doing = ""}};
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

static void
report_in(Report *r)
{
    report = r;
    running = &r->running;
    whose_memory = r->limit;
}

void
watched(Report *r)
{
    report_in(r);
    r->watched = true;
    on_failure = store;
}

int
end_well(int status)
{
    if (fflush(stdout) || ferror(stdout))
        fail("stdout: cannot be written; is the disk full, its reader gone?");
    report->done = true;
    return status;
}
