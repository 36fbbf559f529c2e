/* tsv.h - tables of text: a line of column names, then a line a row, cells
   between tabs. What runs are written in, and results printed in. */
#ifndef TSV_H
#define TSV_H

#include <stdio.h>

typedef struct Table {
    char *text;     /* the file, cut into cells */
    char **cells;   /* row by row, the names first */
    int rows, cols; /* rows without the names */
} Table;

/* Reads a table of a run; fails with file and line where it is none. table_free
   it. */
Table table_read(const char *path);
void table_free(Table *t);

/* Exits: what is in that line of a run's file is not what qkv writes there. */
_Noreturn void table_changed(const char *path, int line);

/* The column of that name, -1 if there is none. */
int table_column(const Table *t, const char *name);

const char *table_cell(const Table *t, int row, int col);

/* The cell as a number; fails where it is none. `path` for the message. */
double table_number(const Table *t, int row, int col, const char *path);

/* x as text of up to `digits` digits, "nan" and "inf" spelt alike everywhere.
 */
const char *number_text(double x, int digits, char text[32]);

#endif
