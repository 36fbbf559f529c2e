/* tsv.c - tables of text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tsv.h"
#include "base/words.h"
#include "heart/fail.h"

_Noreturn void
table_changed(const char *path, int line)
{
    fail("%s:%d: not what qkv writes there: it was cut or changed; remove the "
         "run to have it again",
         path, line);
}

static bool
ends_cell(char c)
{
    return c == '\t' || c == '\n';
}

Table
table_read(const char *path)
{
    size_t size, most = 0;
    int cells = 0, lines = 0;
    Table t = {.text = read_own_file(path, "table", &size)};
    if (!size || t.text[size - 1] != '\n' || strlen(t.text) != size)
        table_changed(path, 1);
    for (const char *c = t.text; *c; c++)
        most += ends_cell(*c);
    t.cells = allocate(most, sizeof *t.cells);
    t.cells[0] = t.text;
    for (char *c = t.text, *end = t.text + size; c < end; c++) {
        if (!ends_cell(*c))
            continue;
        cells++;
        if (*c == '\n' && !lines++)
            t.cols = cells;
        if (*c == '\n' && cells != lines * t.cols)
            table_changed(path, lines);
        *c = 0;
        if (c + 1 < end)
            t.cells[cells] = c + 1;
    }
    t.rows = lines - 1;
    return t;
}

void
table_free(Table *t)
{
    free(t->text);
    free(t->cells);
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

double
table_number(const Table *t, int row, int col, const char *path)
{
    const char *text = table_cell(t, row, col);
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end)
        table_changed(path, row + 2);
    return x;
}

const char *
number_text(double x, int digits, char text[32])
{
    if (isnan(x))
        return strcpy(text, "nan");
    if (isinf(x))
        return strcpy(text, x > 0 ? "inf" : "-inf");
    snprintf(text, 32, "%.*g", digits, x);
    return text;
}
