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
    pid_t process; /* 0: none */
    int news;      /* the pipe's end; -1: nothing comes any more */
    Report *report;
    Limits may;
    double end, looked, inside; /* when it is late; seconds in one call, */
    int calls;                  /* this one */
    char late[160];             /* why it was ended, or "" */
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

/* Runs a program and waits for it, also when interrupted; its exit status.
   `hint` ends the message where it cannot be run. */
int run_program(char *argv[], const char *hint);

/* Runs a command in a child, whose drafts go where it is ended; its status. */
int command_in_child(int (*run)(int argc, char **argv), int argc, char **argv);

/* The parts of these. Forks, and returns true in the child, which ends by
   _exit(end_well(0)); where it is `quiet`, what it prints is discarded. */
bool child_begin(Child *c, size_t size, Limits may, bool quiet);

/* The milliseconds, a second at most, to wait for news before it is looked
   after again: a signal that comes just before does not wake who waits. Ends it
   where it is late. */
int child_patience(Child *c);

/* This process, and what it becomes, does not outlive its parent (Linux). */
void end_with_parent(void);

/* Takes news from the pipe; false where nothing comes any more. */
bool child_read(Child *c, void *news, size_t size);

/* Has it ended? Then child_end says how, and copies its answer. */
bool child_gone(Child *c);
Ended child_end(Child *c, void *answer, size_t size);

#endif
