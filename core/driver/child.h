/* child.h - work that may crash, hang or exit, done in a process of its own. */
#ifndef CHILD_H
#define CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Ended {
    bool answered; /* the whole answer came */
    int status;    /* where not: the exit status that it calls for, */
    bool late;     /* it took too long */
    char why[768]; /* and the message */
} Ended;

/* Seconds to wait for others at a time: a signal that comes just before does
   not wake who waits. */
enum { LOOK_UP = 1 };

/* From here on SIGINT, SIGTERM, SIGHUP and SIGPIPE end what is waited for, and
   set this to their number; the caller tidies up and goes. After end_notice
   they end the program again. */
extern volatile sig_atomic_t interrupted;
void notice_interrupts(void);
void end_notice(void);

/* What a signal that ends a plugin is called, and most often comes from. */
const char *crash_words(int signal);

/* From here on a crash of the program itself says so before it ends. */
void explain_crashes(void);

/* Calls work(more, answer) in a child, and brings home the `size` bytes of
   answer that it fills. What the child prints is caught; its last line is
   taken for the reason where no answer comes. `what` ("standard: ", or "") is
   put before what is said of a crash. */
Ended in_child(void (*work)(const void *more, void *answer), const void *more,
               void *answer, size_t size, int seconds, const char *what);

#endif
