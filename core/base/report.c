/* report.c - what a process that runs plugins tells its parent. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"

/* Used until report_to is called; it has no room for an answer. */
static Report own = {.doing = ""};
Report *report = &own;

/* on_failure (heart/fail.h): leaves the message to the parent, which prints it,
   and ends this process without the exit handlers that a plugin may have
   installed. After a bug it returns, because the caller then calls abort(),
   which the parent notices. */
static void
store_message(int status, const char *message)
{
    snprintf(report->text, sizeof report->text, "%s", message);
    if (status == ABORTED)
        return;
    fflush(NULL);
    _exit(status);
}

/* This program's stdout, while plugins print to stderr; otherwise NULL. */
static FILE *results;

/* Makes `file` the stdout of all code in this process. Returns false if this C
   library does not allow that. */
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

/* The program's own output gets a copy of the file descriptor 1, which itself
   then becomes stderr, for code that writes to it directly. */
void
plugins_print_to_stderr(void)
{
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy < 0) /* stdout is closed, which end_well will report */
        return;
    FILE *ours = fdopen(copy, "w");
    if (!ours || !set_stdout(ours)) /* it was not open for writing, or musl */
        return;
    results = ours;
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

void
report_running(const char *path, const char *doing)
{
    if (path)
        snprintf(report->plugin, sizeof report->plugin, "%s", path);
    if (*doing)
        report->calls++;
    report->doing = doing;
    if (results)
        set_stdout(*doing ? stderr : results);
}

/* A list of the variants that were opened, each with its plugin's file. */
typedef struct Opened {
    const struct Variant *variant;
    const char *path;
    struct Opened *next;
} Opened;
static Opened *opened;

void
report_opened(const struct Variant *v, const char *path)
{
    Opened *o = allocate(1, sizeof *o);
    *o = (Opened){v, path, opened};
    opened = o;
}

/* `report_call` (heart/fail.h): reports that the code of v runs, or has
 * returned. */
static void
report_variant(const struct Variant *v, const char *doing)
{
    const Opened *o = opened;
    while (o && o->variant != v)
        o = o->next;
    report_running(o ? o->path : NULL, doing);
}

/* Sets the hooks of heart/fail.h, so that failures and calls of a variant's
   code are reported in r. */
void
report_to(Report *r)
{
    report = r;
    whose_memory = r->limit;
    on_failure = store_message;
    report_call = report_variant;
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
