/* real.h - how many parameters of runs are really there, as an experiment's
   real.tsv records it: a line for each run that was counted.

       run                              plugin            stored  real
       reverse.standard.seed1.0a1b2c3d  5e1b3c0f9d2a7c44    4096  3584

   It is counted by who has the runs made (driver/cli/real_count.h), and is none
   of a run's results: it follows from its variant and shape. NA: they could not
   be told. */
#ifndef REAL_RECORD_H
#define REAL_RECORD_H

#include "run/run.h"

/* Gives each run of one directory the number that is recorded there. */
void real_read(const char *directory, Run *runs, int count);

/* Adds the numbers of runs, as far as they have one, to the record. */
void real_write(const char *directory, const Run *runs, int count);

#endif
