/* plugin_process.h - work that may crash, hang or exit, as a plugin's code may.

   Every call of a plugin's code is made in a child, and is ended when its time
   is up. Its parent reads in the Report (base/report.h) what the child did. */
#ifndef PLUGIN_PROCESS_H
#define PLUGIN_PROCESS_H

#include "run/process.h"

typedef struct Ended {
    bool answered;      /* it finished its work; if not: */
    int status;         /* to exit with */
    const char *why;    /* in words */
    const char *plugin; /* in whose code it ended, or NULL */
} Ended;

/* Calls work(more, answer) in a child, and copies the `size` bytes of answer,
   as far as it has filled them. It may take so many bytes of memory; what it
   prints is discarded. */
Ended in_child(void (*work)(const void *more, void *answer), const void *more,
               void *answer, size_t size, double bytes);

/* Runs a command in a child, and returns the status to exit with. */
int command_in_child(int (*run)(int argc, char **argv), int argc, char **argv);

/* The same command by qkv-double, which is beside this program. */
int run_in_double(int argc, char **argv);

/* How a child ended; copies its answer. Removes drafts that it left. */
Ended child_end(Child *c, void *answer);

#endif
