/* real_count.h - counts real parameters with qkv-double.

   The real parameters of attention are the independent ways in which its
   parameters can change what it computes (algebra/real_parameters.h). Counting
   them takes double precision and most experiments are in float, so this runs
   `qkv-double count --real` and reads its table. */
#ifndef REAL_COUNT_H
#define REAL_COUNT_H

#include "run/grid.h"

/* Counts the real parameters of attention in each run of e, an experiment in
   w->out, that has no RUN/real.tsv, and writes that file. The number is NaN if
   it is not known, as for a run with attention of several kinds. Runs with the
   same attention are counted once. Writes nothing if qkv-double cannot be run.
 */
void count_real(const Work *w, Experiment *e);

#endif
