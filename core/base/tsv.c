/* tsv.c - tables of text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tsv.h"
#include "heart/fail.h"
#include "heart/plugin.h"

_Noreturn void
fail_damaged_table(const char *path, int line)
{
    fail("%s:%d: qkv did not write this line: the file was cut or changed; "
         "remove the run and train it again",
         path, line);
}

/* Is the cell a name (table_add): one or more of the characters that a name may
   have? */
static bool
is_name(const char *cell)
{
    return *cell && !cell[strspn(cell, NAME_LETTERS ".")];
}

/* Adds line `number` of a file, counted from 1, to the table. The tabs between
   its cells are replaced by zeros, so each cell is a text inside `line`. Line 1
   has the column names, which replace the names from an earlier file. */
static void
add_line(Table *t, char *line, const char *path, int number)
{
    /* The table may already have the columns and rows of an earlier file. */
    bool header = number == 1, no_columns_yet = t->cols == 0;
    /* A new row begins after the column names and all earlier rows. */
    int first_cell = header ? 0 : (t->rows + 1) * t->cols, count = 0;
    for (char *cell = strsep(&line, "\t"); cell; cell = strsep(&line, "\t")) {
        /* The first line and the first column consist of names. */
        if ((header || count == 0) && !is_name(cell))
            fail_damaged_table(path, number);
        t->cells =
            grow(t->cells, first_cell + count, &t->capacity, sizeof *t->cells);
        t->cells[first_cell + count] = cell;
        count++;
    }
    if (count < 2 || (!no_columns_yet && count != t->cols))
        fail_damaged_table(path, number);
    t->cols = count;
    if (!header)
        t->rows++;
}

void
table_add(Table *t, const char *path)
{
    int number = 0; /* of the latest line, counted from 1 */
    char *line = read_text(path, "table"), *end = strchr(line, '\n');
    while (end) {
        *end = 0;
        number++;
        add_line(t, line, path, number);
        line = end + 1;
        end = strchr(line, '\n');
    }
    if (*line) /* the last line has no end: the file was truncated */
        fail_damaged_table(path, number + 1);
    if (number < 2) /* no row follows the column names */
        fail_damaged_table(path, 1);
}

int
table_column(const Table *t, const char *name)
{
    for (int i = 0; i < t->cols; i++)
        if (!strcmp(t->cells[i], name))
            return i;
    return -1;
}

const char *
table_cell(const Table *t, int row, int col)
{
    return t->cells[(row + 1) * t->cols + col];
}

const char *
table_lookup(const Table *t, const char *name, int col)
{
    for (int row = t->rows - 1; row >= 0; row--)
        if (!strcmp(table_cell(t, row, NAME_COLUMN), name))
            return table_cell(t, row, col);
    return NULL;
}

double
cell_value(const char *cell, const char *path)
{
    char *end;
    double x = strtod(cell, &end);
    if (end == cell || *end)
        fail("%s: \"%.64s\" is not a number: the file was changed; remove the "
             "run and train it again",
             path, cell);
    return x;
}

const char *
number_text(double x, int digits)
{
    /* A computed NaN may have a minus sign; the constant NAN has none. */
    double without_sign = isnan(x) ? NAN : x;
    return format_text("%.*g", digits, without_sign);
}
