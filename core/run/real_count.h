/* real_count.h - counts real parameters with qkv-double.

   The number of real parameters of attention is the number of independent ways
   in which its parameters can change what it computes
   (algebra/real_parameters.h). Counting them takes double precision, and most
   experiments are in float. So this file runs `qkv-double count --real` and
   reads its table. */
#ifndef REAL_COUNT_H
#define REAL_COUNT_H

#include "run/grid.h"

/* Returns whether `qkv count` can count the attention of a run with these
   settings. It calls a variant as self-attention of width d_model. But in a
   model with an encoder or cross-attention, the variant is called in other
   ways, too; and one-hot tokens are as wide as the vocabulary. */
bool is_countable(const Config *c);

/* Writes RUN/real.tsv, with the number of real parameters of attention, for
   each run of e that does not have this file. The number is NaN if it is not
   known, as for a run with attention of several kinds. The parameters of runs
   with the same attention are counted only once. A run whose parameters would
   have to be counted gets no file if qkv-double cannot be run. */
void count_real(const Work *w, Experiment *e);

#endif
