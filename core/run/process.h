/* process.h - children: a piece of work in one, and other programs. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/report.h"
#include "heart/fail.h"

/* What a process may use. */
typedef struct Limits {
    double seconds; /* INFINITY: only a plugin's calls are timed, each */
    double bytes;   /* beyond what this program uses; never more than is free */
} Limits;

typedef struct Child {
    pid_t process;    /* 0: none */
    const void *more; /* what it was given */
    Report *report;   /* memory that both have, the answer at its end */
    size_t size;      /* of the answer */
    Limits may;
    double looked; /* when it was last looked at, */
    double spent;  /* seconds until then, */
    double inside; /* and those of them in one call of a plugin's code, */
    int calls;     /* this one */
    int status;
    double taken; /* bytes, at most */
} Child;

/* Bytes of memory that are free. */
double memory_free(void);

/* Begins a child that calls work(more, answer) and ends; its answer has `size`
   bytes. If `quiet`, what it prints is discarded. */
void child_begin(Child *c, void (*work)(const void *more, void *answer),
                 const void *more, size_t size, Limits may, bool quiet);

/* Waits until one of the children has ended, and returns it; NULL if some
   time has passed, or a signal came. Kills those that are late. */
Child *children_wait(Child *children, int count);

/* Runs a program, and waits for it; returns its status, NOT_RUN if there is no
   such program, as a shell does. */
enum { NOT_RUN = 127 };
int run_program(char *argv[]);

#endif
