/* results.h - the table of an experiment's results. */
#ifndef RESULTS_H
#define RESULTS_H

#include "options.h"
#include "run.h"

/* Prints, task by task and variant by variant: parameters, how many seeds
   solved it and in how many steps, accuracy and loss on test data. */
void results_print(const Options *o, const Run *runs, int count);

/* The median of the steps to the threshold, where a seed that never reached it
   (0) counts as later than all that did: ">300" if that is the median. Sorts
   x. */
void steps_text(double *x, int n, int steps, char text[32]);

#endif
