/* csv.h - tables that other programs wrote. */
#ifndef CSV_H
#define CSV_H

#include "base/tsv.h"

/* Reads a table whose first line has the names of its columns. Cells are
   separated by tabs if that line has one, else by commas; a cell that begins
   with a double quote ends with one, and may have line ends in it and "" for a
   quote (RFC 4180). A line may end with CRLF, empty lines are passed over, and
   a byte order mark, too. Exits if semicolons separate the cells or there is no
   row, and names the line if a row has more or fewer cells than the first.
   Stores the line of the file at which each row begins. */
Table csv_read(const char *path, int **lines);

#endif
