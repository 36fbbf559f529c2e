/* tsv.h - tables of text: a line of column names, then a line a row, cells
   between tabs. What runs are written in, and results printed in. */
#ifndef TSV_H
#define TSV_H

#include "base/words.h"

typedef struct Table {
    char **cells;   /* row by row, the names first; of files that stay */
    int rows, cols; /* rows without the names */
    int room;
} Table;

/* Adds the rows of a run's file to a table, empty at first ({0}), which has two
   columns or more and a row or more. The names, and what a row begins with,
   mean nothing to a shell or to gnuplot. Fails with file and line where it is
   no such table. */
void table_add(Table *t, const char *path);

/* Exits: what is in that line of a run's file is not what qkv writes there. */
_Noreturn void table_changed(const char *path, int line);

/* The column of that name, -1 if there is none. */
int table_column(const Table *t, const char *name);

const char *table_cell(const Table *t, int row, int col);

/* The cell of that column in the last row that begins with `name`, NULL if none
   does. */
const char *table_text(const Table *t, const char *name, int col);

/* The text of a cell as a number; fails if it is none, and names the run. */
double cell_value(const char *cell, const char *run);

/* x as text of up to `digits` digits, "nan" (never "-nan") and "inf" spelt
   alike everywhere, in memory that the eighth call from here reuses. */
const char *number_text(double x, int digits);

#endif
