/* real_count.h - how many parameters are really there, by qkv-double.

   That takes double precision, and most experiments are in float: so they run
   `qkv-double count --real`, and read its table. */
#ifndef REAL_COUNT_H
#define REAL_COUNT_H

#include "run/run.h"

/* How many parameters of the attention of a run's model are really there; NaN
   where that cannot be told, as where it has attention of several kinds; -1
   where nobody answers. Each question is asked once. */
double real_of_run(const Run *r);

#endif
