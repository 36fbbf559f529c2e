/* child_process.h - calls a function in a child process, with a limit on its
   memory and on the time of each call of a plugin's code; and runs other
   programs. */
#ifndef CHILD_PROCESS_H
#define CHILD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/report.h"

/* A child process that calls a function (child_begin). */
typedef struct Child {
    pid_t process;        /* 0: there is no child */
    const void *argument; /* the argument of its work */
    Report *report;       /* in shared memory; the answer is at its end */
    size_t size;          /* of the answer, in bytes */
    double looked_at;     /* the time when children_wait last looked at the
                             child (clock_seconds) */
    unsigned call;        /* Report.calls at the time looked_at */
    double call_time;     /* how many seconds that call had lasted by then */
    double call_limit;    /* how many seconds a call may last; 0: no limit */
    bool late;            /* true if a call exceeded the limit, so the child was
                             killed */
    int status;           /* its status from wait4, once it has ended */
    double most_memory;   /* the most bytes it used, once it has ended */
} Child;

/* The number of bytes of memory that this machine has. */
double machine_memory(void);

/* Seconds since a fixed moment in the past, on a clock that is never set back.
 */
double clock_seconds(void);

/* The work of a child: a function that reads its argument and writes its
   answer. */
typedef void ChildWork(const void *argument, void *answer);

/* What happens to the output of a child. With PRINT_OUTPUT, whatever plugins
   print appears on stderr (base/report.h). */
typedef enum ChildOutput { PRINT_OUTPUT, DISCARD_OUTPUT } ChildOutput;

/* Starts a child that calls work(argument, answer) and ends; *c describes it.
   The answer has `size` bytes, and the child may use at most `memory` bytes. */
void child_begin(Child *c, ChildWork *work, const void *argument, size_t size,
                 double memory, ChildOutput output);

/* Returns one of the `count` children that has ended. If none has, waits a
   moment and returns NULL. Call it in a loop: it also ends a child in which a
   call of plugin code lasts longer than $QKV_CALL_SECONDS (0: no limit), or a
   minute if that is not set. */
Child *children_wait(Child *children, int count);

/* Runs a program and waits for it. Returns its status as a shell does: 128 + s
   if signal s ended it, or NOT_RUN if it could not be started. */
enum { NOT_RUN = 127 };
int run_program(char *argv[]);

#endif
