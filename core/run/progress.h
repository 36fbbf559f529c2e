/* progress.h - how far the runs are, on stderr.

   On a terminal, one line that is rewritten in place:

       57 of 140 runs, step 250 of 1000, loss 1.250 of sort.mqa.seed2.0123abcd

   Elsewhere, and with TERM=dumb, a line for each run that is done. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "heart/train.h"
#include "run/grid.h"

typedef struct Progress {
    int total, done, failed;
    const char *name;            /* a run being trained, or NULL, */
    int steps;                   /* all of its steps, */
    const volatile LogRow *last; /* and its last row; step 0 before the first */
} Progress;

/* Rewrites the line. */
void progress_draw(const Progress *p);

/* Erases it, before something else is written. */
void progress_clear(void);

/* Is there a terminal to draw on, and no --quiet? */
bool progress_drawn(const Work *w);

/* In a worker: keeps the last row of a job's log where the driver sees it. */
void progress_row(const Work *w, const Progress *p, const Job *job,
                  volatile LogRow *last, LogRow row);

#endif
