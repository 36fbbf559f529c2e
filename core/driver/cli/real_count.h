/* real_count.h - how many parameters are really there, by qkv-double.

   That takes double precision, and most experiments are in float: so it is the
   table of `qkv-double count --real` that is read. */
#ifndef REAL_COUNT_H
#define REAL_COUNT_H

#include "task/settings.h"

/* Of one attention of each variant at c's shape; NaN where that cannot be told.
   Each question is asked once. */
typedef struct RealOnes {
    double stored, real;
} RealOnes;
void count_real_ones(const char *const *variants, int count, const Config *c,
                     RealOnes *found);

#endif
