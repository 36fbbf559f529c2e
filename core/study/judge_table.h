/* judge_table.h - what a judgement shows: its table, sentences and figure. */
#ifndef JUDGE_TABLE_H
#define JUDGE_TABLE_H

#include "page/draw.h"
#include "page/table.h"
#include "study/judge.h"

/* Prints the table, or its chosen columns (table.h). People also get a sentence
   about each comparison, for a paper, and what was assumed, for its reviewers.
 */
void judgement_print(const Judgement *j, const char *chosen, Layout layout);

/* Draws the differences from the baseline, with a panel for each result. */
void judgement_draw(const Drawing *o, const Judgement *j);

#endif
