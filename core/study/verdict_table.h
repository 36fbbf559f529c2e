/* verdict_table.h - the tables of an experiment's results. */
#ifndef VERDICT_TABLE_H
#define VERDICT_TABLE_H

#include "page/table.h"
#include "study/outcome.h"

/* Prints the results. People get a sentence that counts the verdicts and then,
   for each group, two tables. In the first, each variant has its parameters,
   the number of seeds that solved the task and their steps, and accuracy and
   loss on test data. In the second, it has its verdict against the baseline.
   The labels in LaTeX are tab:GROUP and tab:GROUP-verdicts. Programs get one
   table with all columns. `chosen` is the list of columns to print (table.h);
   NULL prints all of them. */
void results_print(const Outcomes *all, const char *chosen, Layout layout);

/* Exits (2) unless the tables have all the chosen columns. The column with the
   compared values is called `by`, the name of their setting. */
void check_results_columns(const char *by, const char *chosen);

#endif
