/* csv.h - tables that other programs wrote. */
#ifndef CSV_H
#define CSV_H

#include "base/tsv.h"

/* Reads a table whose first line has the names of its columns. Cells are
   separated by tabs if that line has one, else by commas; a cell that begins
   with a double quote ends with one, and may have line ends in it and "" for a
   quote (RFC 4180). A line may end with CRLF. Empty lines and a byte order mark
   are skipped. Exits if semicolons separate the cells, if there is no row, or
   if a row has more or fewer cells than the first line; then it names the line.
   (*lines)[i] becomes the number of the line at which row i begins. */
Table csv_read(const char *path, int **lines);

#endif
