/* tsv.h - tables of text: a line of column names, then a line for each row,
   with tabs between the cells. The files of a run have this format, and so do
   results that are piped to another program. */
#ifndef TSV_H
#define TSV_H

#include "base/words.h"

typedef struct Table {
    char **cells;   /* the column names, then the cells row by row. All point
                       into the texts of files, which are never freed */
    int rows, cols; /* the line of column names does not count as a row */
    int capacity;   /* the number of cells that fit in `cells` */
} Table;

/* Adds the rows of a run's file to a table, which is {0} at first. Fails unless
   the file has at least one row and two columns, and as many columns as the
   table, if that has any. The cells of the file's first line and first column
   must be names: words without a character that is special in a shell or in
   gnuplot. */
void table_add(Table *t, const char *path);

/* Fails with a message that this line of a run's file was truncated or changed.
 */
_Noreturn void fail_damaged_table(const char *path, int line);

/* The two columns of a table that gives each name a value: of a run's settings,
   or of its results. */
enum { NAME_COLUMN, VALUE_COLUMN };

/* The index of the column of this name; -1 if there is none. */
int table_column(const Table *t, const char *name);

/* The cell of a row and a column, both counted from 0. */
const char *table_cell(const Table *t, int row, int col);

/* The cell of column `col` in the last row whose first cell is `name`; NULL if
   there is no such row. */
const char *table_lookup(const Table *t, const char *name, int col);

/* The number in a cell of the file at `path`. Fails if it is not a number. */
double cell_value(const char *cell, const char *path);

/* x as a text, with up to `digits` significant digits. A NaN is "nan", never
   "-nan". */
const char *number_text(double x, int digits);

#endif
