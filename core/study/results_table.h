/* results_table.h - the table of an experiment's results. */
#ifndef RESULTS_TABLE_H
#define RESULTS_TABLE_H

#include "page/table.h"
#include "study/outcome.h"

/* Writes, task by task and variant by variant: parameters, how many seeds
   solved it and in how many steps, accuracy and loss on test data, and the
   verdict against the baseline. For programs it is one table. In LATEX_TEXT
   each table has a label, tab:GROUP. */
void results_write(FILE *to, const Outcomes *all, Layout layout);

#endif
