/* tsv.c - tables of text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tsv.h"
#include "heart/fail.h"
#include "heart/plugin.h"

_Noreturn void
table_changed(const char *path, int line)
{
    fail("%s:%d: not what qkv writes there: the file was cut or changed; "
         "remove the run and train it again",
         path, line);
}

static bool
is_name(const char *cell)
{
    return *cell && !cell[strspn(cell, NAME_LETTERS ".")];
}

/* Adds line `number` of a file, cut at its tabs. Line 1 has the column names. A
   table takes them from its first file: line 1 of another one is only checked.
 */
static void
add_line(Table *t, char *line, const char *path, int number)
{
    bool header = number == 1, first_file = !t->cols;
    int used = header ? 0 : (1 + t->rows) * t->cols, count = 0;
    for (char *cell = strsep(&line, "\t"); cell; cell = strsep(&line, "\t")) {
        if ((header || count == 0) && !is_name(cell))
            table_changed(path, number);
        if (!header || first_file) {
            t->cells =
                grow(t->cells, used + count, &t->capacity, sizeof *t->cells);
            t->cells[used + count] = cell;
        }
        count++;
    }
    if (count < 2 || (!first_file && count != t->cols))
        table_changed(path, number);
    t->cols = count;
    if (!header)
        t->rows++;
}

void
table_add(Table *t, const char *path)
{
    int number = 0;
    char *line = read_file(path, "table", NULL), *end = strchr(line, '\n');
    while (end) {
        *end = 0;
        number++;
        add_line(t, line, path, number);
        line = end + 1;
        end = strchr(line, '\n');
    }
    if (*line) /* the last line does not end with \n */
        table_changed(path, number + 1);
    if (number < 2)
        table_changed(path, 1);
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
table_text(const Table *t, const char *name, int col)
{
    for (int row = t->rows - 1; row >= 0; row--)
        if (!strcmp(table_cell(t, row, 0), name))
            return table_cell(t, row, col);
    return NULL;
}

double
cell_value(const char *text, const char *path)
{
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end)
        fail("%s: \"%.64s\" is not a number: the file was changed; remove the "
             "run and train it again",
             path, text);
    return x;
}

const char *
number_text(double x, int digits)
{
    static char texts[8][32];
    static int calls;
    char *text = texts[calls++ % 8];
    if (isnan(x))
        x = NAN; /* without a sign */
    snprintf(text, sizeof *texts, "%.*g", digits, x);
    return text;
}
