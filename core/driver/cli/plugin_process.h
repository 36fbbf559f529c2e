/* plugin_process.h - work that may crash, hang or exit, as a plugin's code may.

   Every call of a plugin's code is made in such a child. Its parent reads in
   the Report (fail.h) what the child did, and ends it when its time is up. */
#ifndef PLUGIN_PROCESS_H
#define PLUGIN_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/fail.h"
#include "driver/cli/memory.h"

typedef struct Child {
    pid_t process;  /* 0: none */
    Report *report; /* memory that both have, the answer at its end */
    size_t size;    /* of the answer */
    Limits may;
    double end, looked; /* when its time is up; when it was last looked at */
    double inside;      /* seconds in one call of a plugin's code, */
    int calls;          /* this one */
    char late[160];     /* why it was ended, or "" */
    int status;
    double taken; /* bytes, at most */
} Child;

typedef struct Ended {
    bool answered;    /* it finished its work; if not: */
    bool late, told;  /* it ran out of time; why is its own message */
    int status;       /* to exit with */
    int signal;       /* that ended it, or 0 */
    char plugin[256]; /* whose code it ran, or ran last */
    char why[2048];
} Ended;

/* Why it ended, with the plugin's name if that is to blame; valid until the
   next call. */
const char *ended_words(const Ended *e);

/* From here on SIGINT, SIGTERM, SIGHUP and SIGPIPE, unless ignored, end the
   child that is waited for and store their number here; the caller tidies up
   and exits. After end_notice they end the program again. */
extern volatile sig_atomic_t interrupted;
void notice_interrupts(void);
void end_notice(void);

/* Calls work(more, answer) in a child, and copies the `size` bytes of answer,
   as far as it has filled them. What it prints is discarded. */
Ended in_child(void (*work)(const void *more, void *answer), const void *more,
               void *answer, size_t size, Limits may);

/* Runs a command in a child; returns the status to exit with. */
int command_in_child(int (*run)(int argc, char **argv), int argc, char **argv);

/* Runs a program, within `directory` unless it is NULL (what it prints is then
   in .shown and .said there), and waits for it. Returns its exit status, or 128
   and the signal that ended it. `hint` ends the message if it cannot be run;
   without one NOT_RUN is returned where there is no such program. */
enum { NOT_RUN = 90 }; /* what no program that we run ends with */
int run_program(char *argv[], const char *directory, const char *hint);

/* The same command by qkv-double, which is beside this program: `why` says what
   it is needed for. */
int run_in_double(int argc, char **argv, const char *why);

/* This process, or the program it becomes, dies with its parent (Linux), or at
   once if that has ended. */
void end_with_parent(pid_t parent);

/* The parts of in_child, for several children at once.

   Forks, and returns true in the child, which ends with _exit(end_well(0)). If
   `quiet`, what it prints is discarded. */
bool child_begin(Child *c, size_t size, Limits may, bool quiet);

/* Waits until one of the children has ended, and returns it; NULL if so many
   seconds have passed, or a signal came. Kills those that are late. */
Child *children_wait(Child *children, int count, double seconds);

/* How it ended; copies its answer. Removes drafts that it left.
 */
Ended child_end(Child *c, void *answer);

#endif
