/* child_process.h - child processes: calling a function in one, with limits of
   its memory and of the time that a plugin's call takes, and running other
   programs.
 */
#ifndef CHILD_PROCESS_H
#define CHILD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/report.h"
#include "heart/fail.h"

/* A child process that calls a function (child_begin). */
typedef struct Child {
    pid_t process;        /* 0: there is no child */
    const void *argument; /* of its work */
    Report *report;       /* shared memory, which ends with the answer */
    size_t size;          /* bytes of the answer */
    unsigned call;     /* the number of the plugin's call that was seen last */
    double call_time;  /* seconds that this call has lasted */
    double call_limit; /* seconds that a call may last; 0: no limit */
    double seen; /* when children_wait last looked at it (clock_seconds) */
    bool late;   /* true if the child was ended because a call lasted
                    longer */
    int status;  /* waitpid's, once the child has ended */
    double most_memory; /* the most bytes that the child used; set when it has
                           ended */
} Child;

/* The number of bytes of memory that this machine has. */
double machine_memory(void);

/* Seconds since a fixed moment in the past, on a clock that is never set back.
 */
double clock_seconds(void);

/* The work of a child: reads its argument, and writes its answer. */
typedef void ChildWork(const void *argument, void *answer);

/* What happens to the output of a child. If it is printed, that of plugins is
   printed to stderr (base/report.h). */
typedef enum ChildOutput { PRINT_OUTPUT, DISCARD_OUTPUT } ChildOutput;

/* Starts a child that calls work(argument, answer) and ends; *c describes it.
   Its answer has `size` bytes, and it may use at most `memory` bytes. */
void child_begin(Child *c, ChildWork *work, const void *argument, size_t size,
                 double memory, ChildOutput output);

/* Returns one of the `count` children that has ended. If none has, waits a
   moment and returns NULL. Call it in a loop: it also ends a child in which a
   call of plugin code lasts longer than $QKV_CALL_SECONDS, or a minute if that
   is not set. */
Child *children_wait(Child *children, int count);

/* Runs a program and waits for it. Returns its status as a shell does: 128 + s
   if signal s ended it, or NOT_RUN if it could not be started. */
enum { NOT_RUN = 127 };
int run_program(char *argv[]);

#endif
