/* latex_table.h - a table of a paper: a float with its caption and label. */
#ifndef LATEX_TABLE_H
#define LATEX_TABLE_H

#include "study/table.h"

/* Writes the columns that differ from row to row, as many of them as fit a
   column of a two-column paper; what all rows share is said in the caption. It
   needs booktabs and graphicx. */
void latex_write(FILE *to, const Sheet *s);

#endif
