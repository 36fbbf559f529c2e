/* report.h - what a process that runs plugins tells its parent
   (run/plugin_process.h). It is a struct in memory that the two share, so no
   message has to be parsed. */
#ifndef REPORT_H
#define REPORT_H

#include <stddef.h>
#include <stdbool.h>

#include "heart/fail.h"

typedef struct Report {
    volatile bool done;      /* the process came to its end (end_well) */
    char text[MESSAGE];      /* the message that ended it, or "" */
    char plugin[256];        /* path of the plugin that was called last */
    volatile unsigned calls; /* how often a plugin was called */
    const char
        *volatile doing; /* which plugin code runs, " in forward"; or "" */
    char limit[128];     /* the limit of memory in words, or "" */
    char drafts[4096];   /* the directory of its drafts, or "" */
    _Alignas(max_align_t) char answer[]; /* the result of the child's work */
} Report;
extern Report *report; /* of this process */

/* Call it before a plugin's code is entered, with what that code does (" in
   forward"), and with "" once it has returned. A crash in between is blamed on
   the plugin at `path`; if that is NULL, on the plugin that was called last. */
void plugin_runs(const char *path, const char *doing);

/* Makes messages about the code of v name the file at `path`, a text that lasts
   as long as the program. */
struct Variant;
void plugin_opened(const struct Variant *v, const char *path);

/* Makes this process report to its parent in r from now on. */
void report_to(Report *r);

/* Makes a plugin's code print to stderr from now on, while this program still
   prints to its stdout. That costs no system call when a plugin is called. (If
   the C library's stdout is not a variable, as in musl, nothing changes.) */
void printing_apart(void);

/* Returns `status`, with which the process may now end; fails if some of its
   output could not be written. */
int end_well(int status);

#endif
