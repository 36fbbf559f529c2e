/* csv.h - reads a table that another program wrote, with commas or tabs between
   its cells. */
#ifndef CSV_H
#define CSV_H

#include "base/tsv.h"

/* Reads a table whose first line names its columns. Tabs separate the cells if
   the file's first line has a tab, otherwise commas. A cell that begins with a
   double quote must end with one. Between the two quotes, line ends, commas and
   tabs are part of the cell, and "" stands for one quote (RFC 4180). A line may
   end with CRLF. Empty lines and a byte order mark are skipped.

   Exits if the file is not such a table: for example, if semicolons separate
   its cells, if it has no row, or if a row has more or fewer cells than there
   are names. Sets *lines to a new array: (*lines)[i] is the number, counted
   from 1, of the line at which row i begins.
 */
Table csv_read(const char *path, int **lines);

#endif
