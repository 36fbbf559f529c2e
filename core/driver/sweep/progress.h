/* progress.h - how far the runs are, on stderr.

   On a terminal a line for each run at work and one for all of them, drawn
   again in their place: a bar, step, loss, steps a second, time left. Elsewhere
   a line for each run that is done. NO_COLOR (no-color.org) and TERM=dumb are
   heeded. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "train/train.h"
#include "driver/sweep/grid.h"

/* `slots` runs at a time, `total` of them, which take `effort` together, in a
   unit of the caller's. */
void progress_start(const Options *o, int slots, int total, double effort);

/* The run in a slot begins; has come to a row of its log; has ended, and is
   there or not. */
void progress_begin(int slot, const Job *job, double effort);
void progress_row(int slot, LogRow row);
void progress_done(int slot, bool there);

/* Takes the lines away, before something else is written. They come back with
   the next row. */
void progress_clear(void);

#endif
