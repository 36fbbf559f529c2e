/* progress.h - how far the runs are, on stderr.

   On a terminal one line, written again in its place:

       [####......]  0:41 left  57 of 140 runs  step 250/1000  loss 1.250  NAME
   sort.mqa.seed2

   Elsewhere a line for each run that is done. TERM=dumb is heeded. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "train/train.h"
#include "driver/sweep/grid.h"

typedef struct Progress {
    int total, done, failed;
    double start, share;         /* when it began; of all the work */
    const char *name;            /* a run at work, or NULL, */
    int steps;                   /* all of its steps, */
    const volatile LogRow *last; /* and where it is; step 0 before the first */
} Progress;

/* Writes the line anew, ten times a second at most. */
void progress_draw(const Progress *p);

/* Takes it away, before something else is written. */
void progress_clear(void);

/* Is there a terminal to draw on, and is it wanted? */
bool progress_drawn(const Options *o);

/* A line for a run that is done. */
void progress_tell(const Options *o, const Progress *p, const Job *job);

#endif
