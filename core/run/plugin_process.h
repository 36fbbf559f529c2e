/* plugin_process.h - runs a plugin's code, which may crash, hang or exit, in a
   child process.

   The child is killed if a call of the plugin lasts too long. It tells its
   parent in a Report (base/report.h) how far it is, and why it ends. */
#ifndef PLUGIN_PROCESS_H
#define PLUGIN_PROCESS_H

#include "run/child_process.h"

/* How a child ended. */
typedef struct Ended {
    bool answered;      /* true if the child finished its work */
    int status;         /* the status with which the command should exit */
    const char *why;    /* why it did not finish; "" if it did */
    const char *plugin; /* the plugin to blame: the child ended in its code,
                           without a message of this program; or NULL */
} Ended;

/* Calls work(argument, answer) in a child, waits for it, and copies the answer,
   `size` bytes, even if the child did not finish. The child may use at most
   `memory` bytes. */
Ended in_child(ChildWork *work, const void *argument, void *answer, size_t size,
               double memory, ChildOutput output);

/* Calls run(argc, argv), a command, in a child. If the child ends early, prints
   why. Returns the status with which this process should exit. */
int command_in_child(int (*run)(int argc, char **argv), int argc, char **argv);

/* Runs qkv-double, which is in this program's directory, with the same
   arguments, and returns its status. Fails if it cannot be run. */
int run_in_double(int argc, char **argv);

/* Returns how the child ended; call it after children_wait has returned c.
   Removes the drafts that the child left, and frees its report, so its answer
   cannot be read any more. */
Ended child_end(Child *c);

#endif
