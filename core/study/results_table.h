/* results_table.h - the tables of an experiment's results. */
#ifndef RESULTS_TABLE_H
#define RESULTS_TABLE_H

#include "page/table.h"
#include "study/outcome.h"

/* Prints for people a sentence with all verdicts, and then, task by task, two
   tables: of each variant the parameters, how many seeds solved it and in how
   many steps, accuracy and loss on test data; and its verdict against the
   baseline. In LATEX their labels are tab:GROUP and tab:GROUP-verdicts. For
   programs it is one table of all. */
void results_print(const Outcomes *all, Layout layout);

/* Exits (2) unless the tables of what is compared by that setting have all the
   columns that are asked for. */
void check_results_columns(const char *by);

#endif
