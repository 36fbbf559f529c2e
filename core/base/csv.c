/* csv.c - tables that other programs wrote, read in place. */
#include <string.h>

#include "base/csv.h"
#include "heart/fail.h"

typedef struct Reader {
    const char *path;
    char *at;     /* the next character of the text */
    char ends[4]; /* the characters that end a cell without quotes, of which the
                     first separates cells */
    int line;     /* the number of its line, from 1 */
} Reader;

/* Reads the quoted cell at r->at. Afterwards r->at is behind its last quote. */
static char *
quoted_cell(Reader *r)
{
    char *cell = r->at, *to = cell;
    int first = r->line;
    for (r->at++; *r->at != '"' || r->at[1] == '"'; r->at++) {
        if (!*r->at)
            fail("%s:%d: a quoted cell has no closing quote; add it", r->path,
                 first);
        if (*r->at == '"') /* two quotes stand for one */
            r->at++;
        if (*r->at == '\n')
            r->line++;
        *to++ = *r->at;
    }
    *to = 0;
    r->at++;
    return cell;
}

/* Reads the next cell of a line. Afterwards r->at is behind the character that
   ends it. *last becomes whether it is the last cell of its line. */
static char *
next_cell(Reader *r, bool *last)
{
    char *cell = r->at;
    if (*cell == '"')
        cell = quoted_cell(r);
    else
        r->at += strcspn(r->at, r->ends);
    if (r->at[0] == '\r' && r->at[1] == '\n')
        *r->at++ = 0;
    char end = *r->at, separator = r->ends[0];
    if (end && end != '\n' && end != separator)
        fail("%s:%d: a %s follows a cell, not a separator or a line's end",
             r->path, r->line,
             end == '\r' ? "carriage return" : "character behind a quote");
    *last = end != separator;
    *r->at = 0;
    if (end)
        r->at++;
    return cell;
}

/* Reads a line. The first one that is not empty has the names of the columns,
   and every other one becomes a row. */
static void
read_line(Reader *r, Table *t)
{
    bool header = t->cols == 0;
    int used = header ? 0 : (t->rows + 1) * t->cols;
    int line = r->line, count = 0;
    bool last = false;
    while (!last) {
        char *cell = next_cell(r, &last);
        t->cells = grow(t->cells, used + count, &t->capacity, sizeof *t->cells);
        t->cells[used + count++] = cell;
    }
    r->line++;
    if (count == 1 && !*t->cells[used]) /* the line is empty */
        return;
    if (!header && count != t->cols)
        fail("%s:%d: this line has %d cells, but the first one names %d "
             "columns; give it a cell for each, and quote a cell that has a "
             "comma",
             r->path, line, count, t->cols);
    t->cols = count;
    if (!header)
        t->rows++;
}

/* The cells point into the file's text, which is never freed. */
Table
csv_read(const char *path, int **lines)
{
    size_t size;
    int capacity = 0;
    Table t = {0};
    Reader r = {path, read_file(path, "table", &size), ",\r\n", 1};
    if (strlen(r.at) != size)
        fail("%s: it has NUL bytes, so it is no text; save it as UTF-8 CSV",
             path);
    if (!strncmp(r.at, "\xef\xbb\xbf", 3)) /* a byte order mark */
        r.at += 3;
    if (r.at[strcspn(r.at, "\t,;\n")] == ';')
        fail("%s: separate cells by commas, not semicolons; write 0.5, not 0,5",
             path);
    if (r.at[strcspn(r.at, "\t\n")] == '\t')
        *r.ends = '\t';
    *lines = NULL;
    while (*r.at) {
        *lines = grow(*lines, t.rows, &capacity, sizeof **lines);
        (*lines)[t.rows] = r.line; /* where the next row will begin */
        read_line(&r, &t);
    }
    if (!t.rows)
        fail("%s: it has no line of column names, or no row below", path);
    return t;
}
