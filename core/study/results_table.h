/* results_table.h - the tables of an experiment's results. */
#ifndef RESULTS_TABLE_H
#define RESULTS_TABLE_H

#include "page/table.h"
#include "study/outcome.h"

/* Prints the results. People get a sentence that counts the verdicts and then,
   for each group, two tables. The first has for each variant its parameters,
   how many seeds solved the task and in how many steps, and accuracy and loss
   on test data; the second has its verdict against the baseline. Their labels
   in LaTeX are tab:GROUP and tab:GROUP-verdicts. Programs get one table with
   all of it. */
void results_print(const Outcomes *all, Layout layout);

/* Exits (2) unless the tables of what is compared by that setting have all the
   columns that are asked for. */
void check_results_columns(const char *by);

#endif
