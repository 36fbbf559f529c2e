/* progress.h - how far the runs are, on stderr: one line that is written over
   on a terminal, a line a run elsewhere. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "grid.h"
#include "train.h"

void progress_start(int total, bool quiet);
void progress_row(int done, const Job *job, LogRow row);
void progress_done(int done, const Options *o, const Job *job);
void progress_clear(void);

#endif
