/* real_count.h - how many parameters are really there, by qkv-double.

   That takes double precision, and most experiments are in float: so they run
   `qkv-double count --real`, and read its table. */
#ifndef REAL_COUNT_H
#define REAL_COUNT_H

#include "run/grid.h"

/* Counts how many parameters of the attention are real in those runs of w->out
   that have no RUN/real.tsv, and writes it there: NaN where it cannot be told,
   as where a run has attention of several kinds. Each question is asked once;
   where nobody answers, nothing is written. */
void count_real(const Work *w, Experiment *e);

#endif
