/* real_count.h - how many parameters are really there, by qkv-double.

   That takes double precision, and most experiments are in float: so they run
   `qkv-double count --real`, and read its table. */
#ifndef REAL_COUNT_H
#define REAL_COUNT_H

#include "run/run.h"

/* Of the attention of c's blocks, all by c's variant in c's shape; NaN where
   that cannot be told. Each question is asked once. */
typedef struct RealOnes {
    double stored, real;
} RealOnes;
RealOnes real_ones(const Config *c);

/* The same of a run's model: what is real; NaN where that cannot be told, as
   where it has attention of several kinds; -1 where nobody answers. */
double real_of_run(const Run *r);

#endif
