/* trace.h - one sequence followed through attention, number by number. */
#ifndef TRACE_H
#define TRACE_H

#include "training/build_model.h"

/* Prints a forward pass of m on `count` tokens of a dataset: the tokens and
   their ids; and for every place its matrices (the first 8 rows and columns),
   and what it computes with them, so that each number can be checked by hand.
   If m was trained, also its answers and a picture of all attention maps. */
void trace_print(Model *m, const Dataset *data, const int *ids, int count,
                 bool trained);

#endif
