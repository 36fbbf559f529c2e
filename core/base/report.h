/* report.h - what a process tells its parent (run/plugin_process.h), in
   memory that they share: no message has to be parsed. */
#ifndef REPORT_H
#define REPORT_H

#include <stddef.h>
#include <stdbool.h>

#include "heart/fail.h"

typedef struct Report {
    volatile bool done;         /* end_well */
    char text[MESSAGE];         /* the message that ended it, or "" */
    char plugin[256];           /* whose code was called last, */
    volatile unsigned calls;    /* how often any was called, and */
    const char *volatile doing; /* what it does, " in forward"; "": no more */
    char limit[128];            /* of memory, in words; or "" */
    char drafts[4096];          /* the directory with its drafts, or "" */
    _Alignas(max_align_t) char answer[];
} Report;
extern Report *report; /* this process's */

/* A plugin's code is called, or has returned (""), as enter says it of a
   variant. A bug in between is the plugin's. */
void plugin_runs(const char *path, const char *doing);

/* From now on the code of v is reported as that of the file at `path`, which
   lasts as long as the program. */
struct Variant;
void plugin_opened(const struct Variant *v, const char *path);

/* From here on this process is watched, and reports in r. */
void watched(Report *r);

/* From here on what a plugin's code prints goes to stderr, and what this
   program prints to what was stdout. No call of a plugin costs a system call
   for that. (Not where the C library's stdout is no variable, as musl's.) */
void printing_apart(void);

/* The status to end with when all is done: output that could not be written is
   a failure. */
int end_well(int status);

#endif
