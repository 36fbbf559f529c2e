/* child.h - work that may crash, hang or exit, done in a process of its own.

   All that calls a plugin's code is done in such a child. Its parent reads in
   the Report (fail.h) what it did, and ends it when its time is over. */
#ifndef CHILD_H
#define CHILD_H

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
    double end, looked; /* when its time is over; when it was looked after */
    double inside;      /* seconds in one call of a plugin's code, */
    int calls;          /* this one */
    char late[160];     /* why it was ended, or "" */
    int status;
    double taken; /* bytes, at most */
} Child;

typedef struct Ended {
    bool answered;    /* it did its work; where not, */
    bool late, told;  /* it was ended for its time; its message is why */
    int status;       /* to exit with */
    int signal;       /* that ended it, or 0 */
    char plugin[256]; /* whose code it was in, or in last */
    char why[2048];
} Ended;

/* Why, after the plugin's name where it is to blame, until the next call. */
const char *ended_words(const Ended *e);

/* From here on SIGINT, SIGTERM, SIGHUP and SIGPIPE, unless they are ignored,
   end what is waited for, and set this to their number; the caller tidies up
   and goes. After end_notice they end the program again. */
extern volatile sig_atomic_t interrupted;
void notice_interrupts(void);
void end_notice(void);

/* Calls work(more, answer) in a child, and brings home the `size` bytes of
   answer that it fills. What it prints is discarded. */
Ended in_child(void (*work)(const void *more, void *answer), const void *more,
               void *answer, size_t size, Limits may);

/* Runs a command in a child, whose drafts go where it is ended; its status. */
int command_in_child(int (*run)(int argc, char **argv), int argc, char **argv);

/* Runs a program and waits for it, also when interrupted; its exit status.
   `hint` ends the message where it cannot be run. */
int run_program(char *argv[], const char *hint);

/* This process, and what it becomes, does not outlive its parent (Linux). */
void end_with_parent(void);

/* The parts of in_child, for several children at once.

   Forks, and returns true in the child, which ends by _exit(end_well(0)); where
   it is `quiet`, what it prints is discarded. */
bool child_begin(Child *c, size_t size, Limits may, bool quiet);

/* Waits until one of the children has ended, and returns it; NULL after some
   seconds, or where a signal came. Ends those that are late. */
Child *children_wait(Child *children, int count, double seconds);

/* How it ended; copies its answer, where there is one. */
Ended child_end(Child *c, void *answer);

#endif
