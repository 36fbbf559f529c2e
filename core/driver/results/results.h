/* results.h - the table of an experiment's results. */
#ifndef RESULTS_H
#define RESULTS_H

#include "driver/cli/print.h"
#include "driver/results/outcome.h"

/* Prints, task by task and variant by variant: parameters, how many seeds
   solved it and in how many steps, accuracy and loss on test data, and the
   verdict against the baseline. */
void results_print(const Outcomes *all, Layout layout);

/* The table of one group alone, to be printed by sheet_print. */
Sheet results_sheet(const Outcomes *all, const Group *g);

/* What a group's numbers are to be held against: what guessing reaches, and
   what an obvious cheat. To be freed. */
char *levels_text(const Group *g);

/* What the columns and the verdicts mean. To be freed. */
char *notes_text(const Outcomes *all);

/* The verdicts on a group in sentences, a line each, to be freed; empty where
   nothing was held against a baseline. */
char *verdicts_text(const Outcomes *all, const Group *g, const char *indent);

#endif
