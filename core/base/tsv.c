/* tsv.c - tables of text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tsv.h"
#include "base/words.h"
#include "heart/fail.h"

static int
count(const char *text, char c)
{
    int n = 0;
    for (; *text; text++)
        n += *text == c;
    return n;
}

/* Cuts one line into t's cells, from `cell` on. */
static void
cut(const Table *t, char *line, int cell, const char *path, const char *remedy)
{
    if (count(line, '\t') != t->cols - 1)
        fail("%s:%d: %d cells where the first line has %d: it is not what qkv "
             "writes there; %s",
             path, cell / t->cols + 1, count(line, '\t') + 1, t->cols, remedy);
    for (int i = 0; i < t->cols; i++) {
        t->cells[cell + i] = line;
        line += strcspn(line, "\t");
        *line++ = 0;
    }
}

Table
table_read(const char *path)
{
    return table_read_or(path, "remove the run to have it again");
}

Table
table_read_or(const char *path, const char *remedy)
{
    size_t size;
    Table t = {.text = read_file(path, "table", &size)};
    if (size == 0 || t.text[size - 1] != '\n' || strlen(t.text) != size)
        fail("%s: empty, cut short or not text; %s", path, remedy);
    int lines = count(t.text, '\n');
    size_t first = strcspn(t.text, "\n");
    t.text[first] = 0;
    t.cols = count(t.text, '\t') + 1;
    t.text[first] = '\n';
    t.rows = lines - 1;
    size_t cells = (size_t)lines * (size_t)t.cols; /* each ends in a byte, */
    t.cells = allocate(cells < size ? cells : size, sizeof *t.cells);
    char *line = t.text;
    for (int i = 0; i < lines; i++) {
        char *end = line + strcspn(line, "\n");
        *end = 0;
        cut(&t, line, i * t.cols, path, remedy); /* or fails before that */
        line = end + 1;
    }
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
        fail("%s, line %d: \"%.64s\" is not a number; remove the run to have "
             "it again",
             path, row + 2, text);
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
