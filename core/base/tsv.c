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
    fail("%s:%d: not what qkv writes there: it was cut or changed; remove the "
         "run to have it again",
         path, line);
}

static bool
is_key(const char *cell)
{
    return *cell && !cell[strspn(cell, NAME_LETTERS ".")];
}

void
table_add(Table *t, const char *path)
{
    int line = 0;
    char *text = read_file(path, "table", NULL), *end;
    for (; (end = strchr(text, '\n')); text = end + 1) {
        int cells = 0;
        bool kept = line++ || !t->cols;
        *end = 0;
        for (char *cell; (cell = strsep(&text, "\t")); cells++) {
            int count = (t->rows + (t->cols > 0)) * t->cols + cells;
            if ((line == 1 || !cells) && !is_key(cell))
                table_changed(path, line);
            if (!kept)
                continue;
            t->cells = grow(t->cells, count, &t->room, sizeof *t->cells);
            t->cells[count] = cell;
        }
        t->cols = t->cols ? t->cols : cells;
        if (cells != t->cols || cells < 2)
            table_changed(path, line);
        t->rows += line > 1;
    }
    if (*text || line < 2)
        table_changed(path, line + !line);
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
        fail("%s: \"%.64s\" is no number: it was changed; remove the run to "
             "have it again",
             path, text);
    return x;
}

const char *
number_text(double x, int digits)
{
    static char texts[8][32];
    static int calls;
    char *text = texts[calls++ % 8];
    snprintf(text, sizeof *texts, "%.*g", digits, isnan(x) ? NAN : x);
    return text;
}
