/* report.h - what a process that runs plugins tells its parent, the process
   that started it (run/plugin_process.h). The report is a struct in memory that
   the two processes share, so no message has to be parsed. */
#ifndef REPORT_H
#define REPORT_H

#include <stddef.h>
#include <stdbool.h>

#include "heart/fail.h"

typedef struct Report {
    volatile bool done;      /* the process did all its work (end_well) */
    char text[MESSAGE];      /* the message that ended it, or "" */
    char plugin[256];        /* path of the plugin that was called last */
    volatile unsigned calls; /* how often a plugin was called */
    /* which code of the plugin runs, such as " in forward"; RETURNED if none */
    const char *volatile doing;
    char limit[128];   /* the process's memory limit in words, such as
                          " (the limit is 100 MB)"; or "" */
    char drafts[4096]; /* the directory of its drafts (files.h), or "" */
    _Alignas(max_align_t) char answer[]; /* the result of the process's work */
} Report;

/* The report of this process. Until report_to is called, nobody reads it. */
extern Report *report;

/* report_running reports that code of the plugin at `path` is called, and
   counts the call in Report.calls; report_returned reports that the code has
   returned. A crash between the two is blamed on that plugin or, if `path` is
   NULL, on the plugin that was called last. `doing` names the code in messages:
   " in forward". */
void report_running(const char *path, const char *doing);
void report_returned(void);

/* From now on a crash in the code of v is blamed on the plugin at `path`. The
   text must live as long as the program. */
struct Variant;
void report_opened(const struct Variant *v, const char *path);

/* Makes this process report to its parent in r from now on. */
void report_to(Report *r);

/* From now on, whatever a plugin's code prints to stdout appears on stderr,
   while this program still prints to its stdout. This needs no system call when
   a plugin is called. With a C library whose stdout cannot be assigned, such as
   musl, it changes nothing. */
void plugins_print_to_stderr(void);

/* Records in the report that all work is done, and returns `status`. Fails if
   some of the output to stdout could not be written. Call this last, and exit
   with the status that it returns. */
int end_well(int status);

#endif
