/* process.h - children: a piece of work in one, and other programs. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/report.h"
#include "heart/fail.h"

typedef struct Child {
    pid_t process;     /* 0: none */
    const void *more;  /* what it was given */
    Report *report;    /* memory that both have, the answer at its end */
    size_t size;       /* of the answer */
    unsigned call;     /* the call of a plugin's code that was seen last, */
    double call_time;  /* how long it has lasted, in seconds, */
    double call_limit; /* how long one may last; 0: for ever; */
    bool late;         /* and whether it was ended for that */
    int status;        /* once it has ended, as waitpid has it, */
    double taken;      /* and the bytes that it had at most */
} Child;

/* Bytes of memory that this machine has. */
double machine_memory(void);

/* Seconds since some moment in the past. Never goes back. */
double clock_seconds(void);

/* Begins a child that calls work(more, answer) and ends; its answer has `size`
   bytes, and it may take so many bytes of memory. If `quiet`, what it prints is
   discarded. */
void child_begin(Child *c, void (*work)(const void *more, void *answer),
                 const void *more, size_t size, double bytes, bool quiet);

/* Waits until one of the children has ended, and returns it; NULL if some
   time has passed, or a signal came. To be called again and again: it ends a
   child in which one call of a plugin's code lasts more than a minute, or
   $QKV_CALL_SECONDS. */
Child *children_wait(Child *children, int count);

/* Runs a program, and waits for it; returns its status, NOT_RUN if there is no
   such program, as a shell does. */
enum { NOT_RUN = 127 };
int run_program(char *argv[]);

#endif
