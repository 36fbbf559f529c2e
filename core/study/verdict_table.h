/* verdict_table.h - the tables of an experiment's results. */
#ifndef VERDICT_TABLE_H
#define VERDICT_TABLE_H

#include "page/table.h"
#include "study/outcome.h"

/* Prints the results. People get a sentence that counts the verdicts and then,
   for each group, two tables. The first has for each variant its parameters,
   how many seeds solved the task and in how many steps, and accuracy and loss
   on test data; the second has its verdict against the baseline. Their labels
   in LaTeX are tab:GROUP and tab:GROUP-verdicts. Programs get one table with
   all columns. `chosen` is the list of columns to print (table.h), or NULL:
   then all are printed. */
void results_print(const Outcomes *all, const char *chosen, Layout layout);

/* Exits (2) unless the tables have all the chosen columns. The column of the
   values that are compared has the name of their setting, `by`. */
void check_results_columns(const char *by, const char *chosen);

#endif
