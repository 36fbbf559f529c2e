/* csv.c - tables that other programs wrote, read in place. */
#include <string.h>

#include "base/csv.h"
#include "heart/fail.h"

typedef struct Reader {
    const char *path;
    char *at;
    char ends[4]; /* what ends a cell that is not quoted: first the separator */
    int line;
} Reader;

/* Reads the quoted cell at r->at, and goes past the quote that ends it. */
static char *
quoted_cell(Reader *r)
{
    char *cell = r->at, *to = cell;
    int first = r->line;
    for (r->at++; *r->at != '"' || r->at[1] == '"'; r->at++) {
        if (!*r->at)
            fail("%s:%d: a cell begins with a double quote, but no quote ends "
                 "it; add one",
                 r->path, first);
        r->at += *r->at == '"'; /* of two quotes the second is read */
        r->line += *r->at == '\n';
        *to++ = *r->at;
    }
    *to = 0;
    r->at++;
    return cell;
}

/* Reads the next cell of a line, and goes past what ends it. */
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
    char end = *r->at;
    if (end && end != '\n' && end != *r->ends)
        fail("%s:%d: after a cell comes a %s instead of a separator or the end "
             "of the line; correct the line",
             r->path, r->line,
             end == '\r' ? "carriage return" : "character behind a quote");
    *last = end != *r->ends;
    *r->at = 0;
    r->at += end != 0;
    return cell;
}

/* Adds the cells of a line to the table, unless it is empty: the names of its
   columns, or a row. */
static void
read_line(Reader *r, Table *t)
{
    int used = t->cols ? (t->rows + 1) * t->cols : 0;
    int line = r->line, count = 0;
    bool last = false;
    while (!last) {
        char *cell = next_cell(r, &last);
        t->cells = grow(t->cells, used + count, &t->capacity, sizeof *t->cells);
        t->cells[used + count++] = cell;
    }
    r->line++;
    if (count == 1 && !*t->cells[used])
        return;
    if (t->cols && count != t->cols)
        fail("%s:%d: it has %d cells, but there are %d column names", r->path,
             line, count, t->cols);
    t->rows += t->cols != 0;
    t->cols = count;
}

Table
csv_read(const char *path, int **lines)
{
    size_t size;
    int capacity = 0;
    Table t = {0};
    Reader r = {path, read_file(path, "table", &size), ",\r\n", 1};
    if (strlen(r.at) != size)
        fail("%s: it is not a text file, because it has a NUL byte (as UTF-16 "
             "and spreadsheets do); save it as CSV in UTF-8",
             path);
    if (!strncmp(r.at, "\xef\xbb\xbf", 3)) /* a byte order mark */
        r.at += 3;
    if (r.at[strcspn(r.at, "\t,;\n")] == ';')
        fail("%s: semicolons separate its cells; save it with commas or tabs, "
             "and write numbers with a point",
             path);
    if (r.at[strcspn(r.at, "\t\n")] == '\t')
        *r.ends = '\t';
    *lines = NULL;
    while (*r.at) {
        *lines = grow(*lines, t.rows, &capacity, sizeof **lines);
        (*lines)[t.rows] = r.line; /* if it is a row, where it begins */
        read_line(&r, &t);
    }
    if (!t.rows)
        fail("%s: it has no line of column names, or no row below", path);
    return t;
}
