/* plugin_process.h - work that may crash, hang or exit, as a plugin's code may.

   Every call of a plugin's code is made in a child process, which is ended if
   the call lasts too long. The child reports to its parent in a Report
   (base/report.h). */
#ifndef PLUGIN_PROCESS_H
#define PLUGIN_PROCESS_H

#include "run/process.h"

typedef struct Ended {
    bool answered;      /* the child finished its work */
    int status;         /* the status to exit with */
    const char *why;    /* why it did not finish; "" if it did */
    const char *plugin; /* the plugin in whose code it ended, or NULL */
} Ended;

/* Calls work(argument, answer) in a child, and copies the `size` bytes of its
   answer, even if it did not finish. The child may use `bytes` bytes of memory.
   If `quiet`, its output is discarded; otherwise plugins print to stderr. */
Ended in_child(ChildWork *work, const void *argument, void *answer, size_t size,
               double bytes, bool quiet);

/* Runs a command in a child, and returns the status to exit with. */
int command_in_child(int (*run)(int argc, char **argv), int argc, char **argv);

/* Runs the same command with qkv-double, which is in this program's directory.
 */
int run_in_double(int argc, char **argv);

/* Returns how a child ended, copies its answer unless `answer` is NULL, and
   removes the drafts that it left. */
Ended child_end(Child *c, void *answer);

#endif
