/* report.c - what a process that runs plugins tells its parent. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"

/* The report that is used until report_to is called. Nobody reads it, and it
   has no memory for an answer. */
static Report unread = {.doing = ""};
Report *report = &unread;

/* The hook on_failure (heart/fail.h). It stores the message for the parent,
   which prints it, and ends this process without running exit handlers, which a
   plugin may have installed. After a bug it returns, so that the caller calls
   abort(), which the parent notices. */
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

/* From now on this program's results go to a copy of file descriptor 1.
   Descriptor 1 itself becomes stderr, because a plugin may write to it
   directly. */
void
plugins_print_to_stderr(void)
{
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy < 0) /* stdout is closed, which end_well will report */
        return;
    FILE *file = fdopen(copy, "w"); /* NULL if stdout cannot be written */
    if (!file || !set_stdout(file))
        return;
    results = file;
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

void
report_running(const char *path, const char *doing)
{
    if (path)
        snprintf(report->plugin, sizeof report->plugin, "%s", path);
    report->calls++;
    report->doing = doing;
    if (results)
        set_stdout(stderr);
}

void
report_returned(void)
{
    report->doing = RETURNED;
    if (results)
        set_stdout(results);
}

/* An element of the list of all variants that were opened. */
typedef struct Opened {
    const struct Variant *variant;
    const char *path; /* the path of its plugin */
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

/* The hook report_call (heart/fail.h). It reports that the code of v is called
   or, if `doing` is RETURNED, that it has returned. If v is NULL or was not
   opened, the variant whose code was called last is meant. */
static void
report_variant(const struct Variant *v, const char *doing)
{
    const Opened *o = opened;
    while (o && o->variant != v)
        o = o->next;
    if (!strcmp(doing, RETURNED))
        report_returned();
    else
        report_running(o ? o->path : NULL, doing);
}

/* Sets the hooks of heart/fail.h, so that r gets the failures and the calls of
   a variant's code, and `whose_memory`, so that a message about memory says
   whose limit it was. */
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
        fail("stdout: could not write to it: is the disk full, or did the "
             "program that reads it exit?");
    report->done = true;
    return status;
}
