/* plugin_process.h - work that may crash, hang or exit, as a plugin's code may.

   Every call of a plugin's code is made in a child. Its parent reads in the
   Report (fail.h) what the child did, and ends it when its time is up. */
#ifndef PLUGIN_PROCESS_H
#define PLUGIN_PROCESS_H

#include "run/process.h"

typedef struct Ended {
    bool answered;    /* it finished its work; if not: */
    int status;       /* to exit with */
    int signal;       /* that ended it, or 0 */
    char plugin[256]; /* to blame: it ended in its code; or "" */
    char why[2048];   /* in words */
} Ended;

/* Why it ended, with the plugin's name if that is to blame; valid until the
   next call. */
const char *ended_words(const Ended *e);

/* Bytes of memory that are free. */
double memory_free(void);

/* So many seconds and bytes, but no more bytes than are free. */
Limits limits(double seconds, double bytes);

/* Calls work(more, answer) in a child, and copies the `size` bytes of answer,
   as far as it has filled them. What it prints is discarded. */
Ended in_child(void (*work)(const void *more, void *answer), const void *more,
               void *answer, size_t size, Limits may);

/* Runs a command in a child, and returns the status to exit with. */
int command_in_child(int (*run)(int argc, char **argv), int argc, char **argv);

/* The same command by qkv-double, which is beside this program: `why` says what
   it is needed for. */
int run_in_double(int argc, char **argv, const char *why);

/* How a child ended; copies its answer. Removes drafts that it left. */
Ended child_end(Child *c, void *answer);

#endif
